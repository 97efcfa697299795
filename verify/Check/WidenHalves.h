// Removes the 16-bit float roundings that a model itself states, by widening every such tensor. Two models
// can then be compared independently of which tensors each of them rounds to 16 bits.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Model/Graph.h"

namespace tilerig::verify {

// Replaces 16-bit floats by `wide` in inputs, constants, and nodes that cast to a type or generate tensors.
// Returns whether there were any. The caller has to widen the inputs that it passes to the model as well.
bool widenHalves(reference::Model &model, DType wide = DType::f32);
// Converts 16-bit float tensors to float32.
TensorMap withoutHalves(const TensorMap &tensors);

} // namespace tilerig::verify
