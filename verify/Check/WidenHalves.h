// Removes the 16-bit float roundings that a model itself states, by converting all 16-bit tensors to a wider
// type. Two models can then be compared even if they round different tensors.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Model/Graph.h"

namespace tilerig::verify {

// Replaces 16-bit floats by a wider type in the model's inputs, constants and nodes. Returns whether there
// were any. The caller has to convert the inputs of a run as well.
bool widenHalves(reference::Model &model, DType wide = DType::f32);
// Converts 16-bit float tensors to float32.
TensorMap withoutHalves(const TensorMap &tensors);

} // namespace tilerig::verify
