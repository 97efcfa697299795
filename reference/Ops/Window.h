// Geometry of operators that slide a window over an image: convolution and pooling, in any number of
// dimensions.
//
// A window is built from a node's attributes and checked once; afterwards its sizes are known to be positive,
// and sums and products of them with positions inside the image do not overflow. Output position p reads the
// image at p * stride - padBegin + tap * dilation, for each tap of the kernel; elements outside the image are
// padding.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

struct WindowAxis {
  int64_t size;         // length of the image along the axis
  int64_t kernel;       // number of taps
  int64_t stride = 1;   // distance between positions
  int64_t dilation = 1; // distance between taps
  int64_t padBegin = 0, padEnd = 0;
  int64_t outputs = 0; // number of positions

  // Number of image elements from the first tap to the last, both included.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // Image index of the first tap of position `output`; may lie in the padding.
  int64_t start(int64_t output) const { return output * stride - padBegin; }
};

// A half-open interval [begin, end) of indices along an axis.
struct Span {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

// The taps of position `output` that lie inside the image.
Span tapsInside(const WindowAxis &axis, int64_t output);
// The positions in [first, last) whose tap `tap` lies inside the image.
Span positionsInside(const WindowAxis &axis, int64_t tap, int64_t first, int64_t last);

using Window = std::vector<WindowAxis>;

// Number of positions, of taps, and of image elements, each over all axes.
int64_t countOutputs(const Window &window);
int64_t countTaps(const Window &window);
int64_t countImage(const Window &window);
// The shape of a result: the dimensions `leading` (batch, channels), then the number of positions of each
// axis.
Shape outputShape(std::span<const int64_t> leading, const Window &window);

// The window attributes of a node (strides, dilations, pads and auto_pad), read before the size of the image
// is known. Pads are zero if auto_pad is not NOTSET.
enum class AutoPad { notSet, valid, sameUpper, sameLower };
struct WindowAttributes {
  Window axes; // axes of the window; their `size` and `outputs` are not yet known
  AutoPad autoPad;
};
Result<WindowAttributes> windowAttributes(const OpContext &context, std::span<const int64_t> kernel);

// A node's window over an image of sizes `image` (without batch and channels). With `ceilMode`, a last
// position that begins inside the image or its front padding counts even if its window extends beyond the
// end.
Result<Window> windowOver(const OpContext &context, std::span<const int64_t> image,
                          std::span<const int64_t> kernel, bool ceilMode = false);

} // namespace tilerig::reference
