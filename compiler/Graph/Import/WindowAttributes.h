// Window attributes of convolution and pooling nodes, with defaults and automatic padding resolved.
#pragma once

#include "compiler/Graph/Import/NodeReader.h"

namespace tilerig::compiler {

struct WindowAttributes {
  Ints kernel, strides, dilations, pads;
};

// The window of a convolution. Its kernel size is taken from the shape of the weights, operand number
// `weightsOperand`. Refuses a window that does not fit the image.
Result<WindowAttributes> convolutionWindows(const NodeReader &node, size_t weightsOperand);
// The window of a pool.
Result<WindowAttributes> poolingWindows(const NodeReader &node);

} // namespace tilerig::compiler
