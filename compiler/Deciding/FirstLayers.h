// A network that ends after its first layers: what is left to look at when a longer one goes wrong.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// Keeps the first `count` layers. What later ones read of them, or the network gave of them, are the outputs,
// named as the model's tensors and with their axes as there; where that takes a transpose, it is a layer
// more. Inputs that nobody reads any more are gone. A network of no more layers stays as it is. Whether
// anything has changed.
bool keepFirstLayers(mlir::func::FuncOp function, size_t count);

} // namespace tilerig
