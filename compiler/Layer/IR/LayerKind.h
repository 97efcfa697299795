// The name of a layer's kind, for users.
#pragma once

#include <mlir/IR/Operation.h>
#include <string>

namespace tilerig::compiler {

// The kind of a layer as text, such as "Conv" or "MaxPool"; for a host layer, the name of its operator.
std::string kindOf(mlir::Operation *layer);

} // namespace tilerig::compiler
