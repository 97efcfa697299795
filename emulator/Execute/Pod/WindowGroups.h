// The output positions of a convolution, grouped by which taps of the kernel lie inside the input.
//
// Padding adds nothing, and nothing is not the same as adding zero: 0 * Inf is NaN, and -0 + 0 is 0. So
// positions at a border take fewer taps. Inside, all take all of them, and form one group across rows and
// images.
#pragma once

#include "emulator/Execute/Pod/Layout.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::pod {

struct PositionGroup {
  std::vector<Tap> taps;
  std::vector<int64_t> offsets; // into the widened image
  std::vector<uint32_t> rows;   // of the output, ascending
};

// `pixelPitch` elements of the widened image belong to a pixel; a tap is `length` of them, and `stretch` of
// the packed weights.
std::vector<PositionGroup> groupPositions(const Conv &conv, uint64_t pixelPitch, uint32_t length);

} // namespace tilerig::pod
