// How the image of a convolution lies when it is widened, and which positions of the output go together.
//
// Padding adds nothing. For integers that is the same as adding zero, so the image gets a frame of zeros and
// every position takes every tap. For floats it is not: 0 * Inf is NaN, and -0 + 0 is 0. So their positions
// are grouped by which taps lie inside the input; inside, all take all of them, and form one group across
// rows and images.
#pragma once

#include "emulator/Execute/Pod/Layout.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::pod {

// Pixels along an axis that some tap of some position reads, from the padding in front on.
inline uint32_t reach(uint32_t outputs, uint32_t kernel, uint32_t stride, uint32_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

// The widened image has `height` by `width` pixels of `pitch` elements; that of the input begins at (top,
// left).
struct ImageFrame {
  uint32_t top = 0, left = 0, height = 0, width = 0;
  uint64_t pitch = 0;

  uint64_t elements(uint32_t images) const { return uint64_t{images} * height * width * pitch; }
};
ImageFrame frameOf(const Conv &conv, uint64_t pitch, bool isFloat);

struct PositionGroup {
  std::vector<Tap> taps;
  std::vector<int64_t> offsets; // into the widened image
  std::vector<uint32_t> rows;   // of the output, ascending
};

// A tap is `length` elements of a pixel against as many rows of the packed weights.
std::vector<PositionGroup> groupPositions(const Conv &conv, const ImageFrame &frame, uint32_t length);

} // namespace tilerig::pod
