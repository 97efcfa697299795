// Judges the types that the decision on precisions gave to tensors: whether their scales and zero points
// represent the ranges that were calibrated.
//
// A type must represent the whole range of its tensor. And it may not be coarser than necessary: its range is
// at most the union of the ranges of those tensors that have to share their type, because layers that only
// move elements lie between them, or because they are concatenated.
#pragma once

#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>
#include <string>

namespace tilerig::compiler {

struct WrongRange {
  std::string tensor; // of the model; empty if the value holds none
  mlir::Value value;  // in the function after the decision
  double excess = 0;  // how far the range of the type is off
  double bound = 0;   // how far it may be off
};

// The first tensor whose type is wrong. `before`: the layers in floats, whose exported tensors the table
// describes.
Result<std::optional<WrongRange>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                 const CalibrationTable &table);

} // namespace tilerig::compiler
