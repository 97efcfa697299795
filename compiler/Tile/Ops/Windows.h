// Convolution and pooling windows for a part of an image.
#pragma once

#include "compiler/Tile/Ops/Box.h"
#include "isa/Instructions/Operands.h"

namespace tilerig::compiler {

// The numbers of the axes of a tensor of images.
inline constexpr size_t batchAxis = 0, rowAxis = 1, columnAxis = 2, channelAxis = 3;

// The window (kernel, strides, padding) for computing the part `result` of an image from the part `input`,
// given the window `whole` for the whole image. The padding at the top and left of the new window is the
// distance by which the first window of `result` begins in front of `input`. `pads`: top, left, bottom and
// right padding of the whole image.
Window windowAt(Window whole, const std::array<int64_t, 4> &pads, const Box &result, const Box &input);

} // namespace tilerig::compiler
