// Checks the quantised types that the pass decide-precision gave to tensors: whether the range of reals that
// scale and zero point can represent fits the calibrated range of the tensor.
//
// A type must represent the whole range of its tensor, and may not be coarser than necessary. So its range is
// at most the union of the ranges of all tensors that have to share the type, for example the inputs of a
// concatenation.
#pragma once

#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>
#include <string>

namespace tilerig::compiler {

struct WrongRange {
  std::string tensor; // name of the model's tensor that the value holds; empty if the value holds none
  mlir::Value value;  // value that holds the tensor in the function `after`
  double excess = 0;  // distance between the range of the value's type and the calibrated range
  double bound = 0;   // largest accepted distance between the two ranges
};

// The first tensor whose type is wrong. `before` is the function with float layers from before
// decide-precision, `after` the one with decided types; `table` has the calibrated ranges of the tensors
// exported from `before`.
Result<std::optional<WrongRange>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                 const CalibrationTable &table);

} // namespace tilerig::compiler
