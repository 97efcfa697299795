// Creates a module of level `tile` from a generated program and its plan.
#pragma once

#include "compiler/Tile/Emit/TileLevel.h"
#include "compiler/Tile/IR/Tile.h"
#include "isa/Program/Program.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::compiler::tile {

// `level`: the data for level `tile` that generateProgram() kept on request.
Result<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(mlir::MLIRContext &context, const Program &program,
                                                   const TileLevel &level);

} // namespace tilerig::compiler::tile
