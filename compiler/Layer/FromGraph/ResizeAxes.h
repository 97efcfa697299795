// Lowers those forms of Resize that no instruction of the machine has: antialias, exclude_outside, cropping, scales that
// all axes share, any number of spatial axes, and batch or channels that are resized.
#pragma once

#include "compiler/Layer/FromGraph/Lowerings.h"

namespace tilerig::compiler {

// Lowers a Resize one axis after the other. Interpolation along an axis is a product with a constant matrix, which has the
// weights of all elements of the axis for each element of the result; mode "nearest" is a gather with constant indices.
Lowered resizeAxes(graph::ResizeOp op, LayerBuilder &to);

} // namespace tilerig::compiler
