// What nodes say about windows, all of it given.
#pragma once

#include "compiler/Import/NodeReader.h"

namespace tilerig {

struct WindowAttributes {
  Ints kernel, strides, dilations, pads;
};

// Of a convolution, whose kernel is that of its weights. Refuses what does not fit the image.
Result<WindowAttributes> convolutionWindows(const NodeReader &node, size_t weightsOperand);

} // namespace tilerig
