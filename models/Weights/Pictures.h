// Synthetic pictures: noise at many scales, coarse structure stronger than fine, as in photographs. Every
// fourth picture is noise without structure. Used for calibration and in tests.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::models {

// A batch of pictures, [count, 3, size, size], as doubles between -3 and 3 that are multiples of 2^-10, the
// same on every processor.
Tensor pictures(int64_t count, int64_t size, uint64_t seed);

// A batch of clips, [count, 3, frames, size, size]: each is a picture that moves to the left by one pixel per
// frame.
Tensor clips(int64_t count, int64_t frames, int64_t size, uint64_t seed);

} // namespace tilerig::models
