// Window attributes of convolution and pooling nodes, with defaults and automatic padding resolved.
#pragma once

#include "compiler/Graph/Import/NodeReader.h"

#include <optional>

namespace tilerig::compiler {

struct WindowAttributes {
  Ints kernel, strides, dilations, pads;
};

// The window of a convolution. Its kernel size is taken from the shape of the weights, operand number
// `weightsOperand`. Refuses a window that does not fit the image, and windows that read only padding.
Result<WindowAttributes> convolutionWindows(const NodeReader &node, size_t weightsOperand);
// As above, but the windows may read only padding.
Result<WindowAttributes> anyConvolutionWindows(const NodeReader &node, size_t weightsOperand);
// A spatial axis along which every window reads only padding, of an image [batch, channels, axes...].
std::optional<size_t> axisInPadding(const WindowAttributes &windows, llvm::ArrayRef<int64_t> image);
// The window of a pool.
Result<WindowAttributes> poolingWindows(const NodeReader &node);

} // namespace tilerig::compiler
