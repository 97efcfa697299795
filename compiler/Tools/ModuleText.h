// Modules as text: every level is written so that reading it gives the same module, large constants included.
#pragma once

#include "isa/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig {

enum class Level { graph, layer, tile, isa };

Status writeModule(mlir::ModuleOp module, const std::string &path);
// Refused where the text is wrong, of another level, or no network: one function `main` of one block, on
// tensors of static shapes, and all constants with their elements. Of levels tile and isa: one program.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(mlir::MLIRContext &context, const std::string &path,
                                                     Level level);
Status checkLevel(mlir::ModuleOp module, const std::string &path, Level level);

} // namespace tilerig
