// The window of a part of an image.
#pragma once

#include "compiler/Tiling/Box.h"
#include "isa/Instructions/Operands.h"

namespace tilerig {

inline constexpr size_t batchAxis = 0, rowAxis = 1, columnAxis = 2, channelAxis = 3; // of images

// How a window that moves over the whole image moves over a part of it: rows and columns of the input that
// lie in front of the part were taken away, those of the padding remain. `pads`: top, left, bottom, right of
// the whole.
Window windowAt(Window whole, const std::array<int64_t, 4> &pads, const Box &result, const Box &input);

} // namespace tilerig
