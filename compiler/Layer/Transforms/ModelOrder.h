// Values of layers in the axis order of the model's tensors, as outputs of a network have it.
#pragma once

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

// Returns the value. But if the value holds a tensor of the model with its axes in another order, returns a
// transpose of the value to the order of the model.
mlir::Value inModelOrder(mlir::OpBuilder &builder, mlir::Value value);

} // namespace tilerig::compiler
