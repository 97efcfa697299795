// Prints tensors as numpy does, and takes slices of them in numpy's notation: `[0, 1:3, ::2, -1, ...]`.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::emulator {

// Text of all elements, or of the first and last three along each axis if there are more than 1,000.
std::string tensorText(const Tensor &tensor);
// Text of an element, given by its index in row-major order.
std::string elementText(const Tensor &tensor, int64_t index);
// The part of a tensor that a slice selects, which is a text in brackets. Steps must be positive.
Result<Tensor> sliceOf(const Tensor &tensor, const std::string &slice);

} // namespace tilerig::emulator
