// The name of a layer's kind, for users.
#pragma once

#include <mlir/IR/Operation.h>
#include <string>

namespace tilerig::compiler {

// "Conv", "MaxPool", "ReduceMean", the operator of a host layer, ...
std::string kindOf(mlir::Operation *layer);

} // namespace tilerig::compiler
