// Calibrated ranges as attributes of a module at level `layer`, so that a module can be quantised without its
// calibration samples:
//
//   layer.ranges      one range for each result of an operation, or one for an argument of the function; a
//                     value that needs no range has an empty one
//   layer.sum_range   the range of the sums of a product, before the addend is added and the function applied
//
// A range is an array of its two ends, such as array<f32: -1.5, 2.25>.
#pragma once

#include "compiler/Layer/Precision/Ranges.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>

namespace tilerig::compiler {

// States the ranges of all values of the function as attributes.
void stateRanges(mlir::func::FuncOp function, const Ranges &ranges);
// States the range of an argument, which is the range that the function of `value` states for `value`. Does
// nothing if that function states none.
void stateRangeOfArgument(mlir::BlockArgument argument, mlir::Value value);

// The ranges that the function states; empty if it states none. Returns an error if it states only some.
Result<std::optional<Ranges>> statedRanges(mlir::func::FuncOp function);
// Removes all ranges that the function states.
void eraseStatedRanges(mlir::func::FuncOp function);

} // namespace tilerig::compiler
