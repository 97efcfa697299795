// Truncates a network after its first layers, to find out which layer of a long network goes wrong.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Keeps the first `count` layers. Outputs of the truncated network are the old outputs that are still
// computed, and the tensors that the removed layers read. They have the names and axis order of the model's
// tensors; a layer that transposes is added where the axis order differs. Inputs that are no longer read are
// removed. A network of at most `count` layers stays unchanged. Returns whether anything changed.
bool keepFirstLayers(mlir::func::FuncOp function, size_t count);

} // namespace tilerig::compiler
