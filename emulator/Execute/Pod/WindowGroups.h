// Layout of a convolution's widened image (the input in the kernels' wider operand type), and grouping of
// output positions by the taps that lie inside the input.
//
// Padding contributes nothing. For integers this equals adding zero, so the image gets a frame of zeros and
// every position uses every tap. For floats it does not: 0 * Inf is NaN, and -0 + 0 is 0. Float positions are
// therefore grouped by which taps lie inside the input; all interior positions use all taps and form one
// group, whatever their row and image.
#pragma once

#include "emulator/Execute/Pod/Layout.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::emulator::pod {

// Number of pixels of an image along an axis, including the front padding, up to the last one that any tap of
// a window reads.
inline uint32_t reach(uint32_t outputs, uint32_t kernel, uint32_t stride, uint32_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

// Size of the widened image (the input in the kernels' wider type, with padding): `height` × `width` pixels
// of `pitch` elements; the input image begins at (top, left) in it.
struct ImageFrame {
  uint32_t top = 0, left = 0, height = 0, width = 0;
  uint64_t pitch = 0;

  uint64_t elements(uint32_t images) const { return uint64_t{images} * height * width * pitch; }
};
ImageFrame frameOf(const Conv &conv, uint64_t pitch, bool isFloat);

// Output positions (pixels) that use the same taps of the window.
struct PositionGroup {
  std::vector<Tap> taps;
  // For each position, offset of its window in the widened image, in elements.
  std::vector<int64_t> offsets;
  // For each position, number of its output row, ascending.
  std::vector<uint32_t> rows;
};

// Groups the output positions of a convolution by the taps that lie inside the input. A tap covers `length`
// elements of a pixel and as many rows of the packed weights.
std::vector<PositionGroup> groupPositions(const Conv &conv, const ImageFrame &frame, uint32_t length);

} // namespace tilerig::emulator::pod
