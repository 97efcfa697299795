// Element types of every layer, from a plan and from ranges.
//
// Every layer gets the precision that the plan gives one of its names. Floats become that float. In 8 bits
// activations are asymmetric and weights symmetric integers, biases 32 bits; layers that only move or pick
// elements keep the type of what they get, and tensors that are joined share a scale where that costs at most
// a bit. Between precisions, and at the model's inputs and outputs, stand conversions. What cannot be had in
// 8 bits is a float, and says why.
#pragma once

#include "compiler/Deciding/Ranges.h"
#include "compiler/Dialect/Layer/Layer.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// Ranges are looked at only where the plan has 8 bits.
Status decidePrecision(mlir::func::FuncOp function, const PrecisionPlan &plan, const Ranges &ranges);

} // namespace tilerig
