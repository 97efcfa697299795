// Checks what the pass decide-precision decided: whether the quantised types of tensors fit the calibrated
// ranges, and whether integer biases represent the biases of the model.
//
// A type must represent the whole range of its tensor, and may not be coarser than necessary. So its range is
// at most the union of the ranges of all tensors that have to share the type, for example the inputs of a
// concatenation. A bias has the scale of the input times that of the weights, and is rounded once.
#pragma once

#include "compiler/Layer/Precision/Ranges.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>
#include <string>

namespace tilerig::compiler {

// A tensor whose type is wrong, or the result of a layer whose bias is wrong.
struct WrongDecision {
  std::string tensor;        // name of the model's tensor that the value holds; empty if the value holds none
  mlir::Value before, after; // values that hold the tensor in the functions before and after the pass
  // Distance between the range of the value's type and the calibrated range, or between the biases.
  double excess = 0;
  double bound = 0; // largest accepted distance
};

// The first tensor whose type is wrong. `before` is the function with float layers from before
// decide-precision, `after` the one with decided types; `ranges` has the calibrated ranges of the values of
// `before`.
Result<std::optional<WrongDecision>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                    const Ranges &ranges);
// The first layer whose integer bias differs from its float bias by more than one rounding.
Result<std::optional<WrongDecision>> findWrongBias(mlir::func::FuncOp before, mlir::func::FuncOp after);

} // namespace tilerig::compiler
