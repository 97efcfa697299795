// What the compiler planned, as a module of level `tile`.
#pragma once

#include "compiler/Codegen/TileLevel.h"
#include "compiler/Dialect/Tile/Tile.h"
#include "isa/Program/Program.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::tile {

// `level` is what was kept when the program was generated.
Result<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(mlir::MLIRContext &context, const Program &program,
                                                   const TileLevel &level);

} // namespace tilerig::tile
