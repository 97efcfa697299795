// What an operation gives on constants: for the chains of shapes that exporters write, and for the pass that
// folds constants.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <mlir/IR/Operation.h>

namespace tilerig {

// The result of an operation of the dialect graph on these operands, absent ones among them; none if this
// operation is not one of those that are folded.
std::optional<Tensor> evaluate(mlir::Operation *operation,
                               const std::vector<std::optional<Tensor>> &operands);

} // namespace tilerig
