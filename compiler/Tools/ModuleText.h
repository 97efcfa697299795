// Modules as text: reading the written text gives the same module, including large constants.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::compiler {

enum class Level { graph, layer, tile, isa };

Status writeModule(mlir::ModuleOp module, const std::string &path);
// Refuses texts that are malformed or of another level. Levels graph and layer: one function `main` with one
// block, static shapes, and all constants with their elements. Levels tile and isa: one program.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(mlir::MLIRContext &context, const std::string &path,
                                                     Level level);
Status checkLevel(mlir::ModuleOp module, const std::string &path, Level level);

} // namespace tilerig::compiler
