// Pictures that nobody took: noise of many sizes, coarse stronger than fine, as in photographs. Every fourth
// one is plain noise without any structure. Calibration runs them through a network, and tests do.
#pragma once

#include "isa/Tensor/Tensor.h"

namespace tilerig::models {

// [count, 3, size, size] of doubles between -3 and 3, multiples of 2^-10, the same on every processor.
Tensor pictures(int64_t count, int64_t size, uint64_t seed);

} // namespace tilerig::models
