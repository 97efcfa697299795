// Truncates a network after its first layers, to narrow down where a longer one goes wrong.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Keeps the first `count` layers. Outputs of the truncated network are the old outputs that are still
// computed and the tensors that removed layers read. They have the names and axis order of the model's
// tensors; where that takes a transpose, a layer is added. Inputs that are no longer read are removed. A
// network of at most `count` layers stays unchanged. Returns whether anything changed.
bool keepFirstLayers(mlir::func::FuncOp function, size_t count);

} // namespace tilerig::compiler
