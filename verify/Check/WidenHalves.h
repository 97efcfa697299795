// Models without the roundings that their own 16-bit floats bring: every such tensor is one of wider floats.
// What two of them should have in common can then be told apart from what either was rounded to, and when.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "reference/Model/Graph.h"

namespace tilerig::verify {

// Inputs, constants, and what casts and generators make: `wide` in place of 16 bits. Tells whether there were
// any. Inputs that whoever runs the model gives have to be widened as well.
bool widenHalves(reference::Model &model, DType wide = DType::f32);
// float32 in place of 16 bits.
TensorMap withoutHalves(const TensorMap &tensors);

} // namespace tilerig::verify
