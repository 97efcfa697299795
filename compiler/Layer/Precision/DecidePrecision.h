// Assigns an element type to every tensor of the layers, from a precision plan and calibrated ranges.
//
// A layer gets the precision that the plan gives to one of its names. A layer with a float precision uses
// that float type. In an 8-bit precision, activations are asymmetric and weights symmetric integers, and
// biases have 32 bits. Layers that only move or select elements keep the type of their input, and tensors
// that are concatenated share a scale if that costs at most one bit. Conversions are inserted between layers
// of different precision and at the model's inputs and outputs. A layer that cannot be computed in 8 bits
// stays a float layer, with the reason as an attribute.
#pragma once

#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/Precision/Ranges.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// `ranges` is used only if the plan contains 8-bit precisions. If `widens` is true, tensors that only the
// vector engine reads have nine bits instead of eight (see NineBits.h). Returns warnings for the user: layers
// with weights that are too large for their precision.
Result<std::vector<std::string>> decidePrecision(mlir::func::FuncOp function, const PrecisionPlan &plan,
                                                 const Ranges &ranges, bool widens);

} // namespace tilerig::compiler
