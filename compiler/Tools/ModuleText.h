// Reads and writes MLIR modules as text. A module that is written and read again is the same, including all
// its constants.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::compiler {

enum class Level { graph, layer, tile, isa };

Status writeModule(mlir::ModuleOp module, const std::string &path);
// Reads a module, and refuses a text that is malformed or of another level. A module of level graph or layer
// has one function `main` with one block, static shapes, and constants with all elements; of level tile or
// isa, one program.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(mlir::MLIRContext &context, const std::string &path,
                                                     Level level);
Status checkLevel(mlir::ModuleOp module, const std::string &path, Level level);

} // namespace tilerig::compiler
