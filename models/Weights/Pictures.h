// Synthetic pictures: noise at many scales, coarse structure stronger than fine, as in photographs. Every
// fourth picture is noise without structure. Used for calibration and in tests.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::models {

// A batch of pictures, [count, 3, size, size], as doubles between -3 and 3 that are multiples of 2^-10, the
// same on every processor.
Tensor pictures(int64_t count, int64_t size, uint64_t seed);

} // namespace tilerig::models
