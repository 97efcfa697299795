// Geometry of the operators that slide a window over an image: convolutions and pooling, in any number of
// dimensions.
//
// A window is read from a node's attributes once, checked, and then trusted: its sizes are positive, and
// sums and products of them with positions inside the image do not overflow. An output position p sees the
// image at p * stride - padBegin + tap * dilation, for each tap of the kernel; what lies outside is padding.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

struct WindowAxis {
  int64_t size;         // of the image
  int64_t kernel;       // taps
  int64_t stride = 1;   // from one position to the next
  int64_t dilation = 1; // from one tap to the next
  int64_t padBegin = 0, padEnd = 0;
  int64_t outputs = 0; // positions

  // Image elements from the first tap to the last, both included.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // Where the first tap of position `output` falls; may lie in the padding.
  int64_t start(int64_t output) const { return output * stride - padBegin; }
};

// A half-open interval.
struct Span {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

// The taps of position `output` that fall inside the image.
Span tapsInside(const WindowAxis &axis, int64_t output);
// Those of the positions [first, last) whose tap `tap` falls inside the image.
Span positionsInside(const WindowAxis &axis, int64_t tap, int64_t first, int64_t last);

using Window = std::vector<WindowAxis>;

// Positions of the window along all axes together.
int64_t countOutputs(const Window &window);
int64_t countTaps(const Window &window);
int64_t countImage(const Window &window);
// [leading..., outputs of each axis...]
Shape outputShape(std::span<const int64_t> leading, const Window &window);

// What a node's attributes say before they meet an image: strides, dilations, pads and auto_pad, for a kernel
// of these sizes. Pads are zero where auto_pad is not NOTSET.
enum class AutoPad { notSet, valid, sameUpper, sameLower };
struct WindowAttributes {
  Window axes; // sizes and outputs not yet known
  AutoPad autoPad;
};
Result<WindowAttributes> windowAttributes(const OpContext &context, std::span<const int64_t> kernel);

// A node's window over the image `image` (sizes without batch and channels). With `ceilMode` a last position
// that begins inside the image or its front padding counts even if it hangs over the end.
Result<Window> windowOver(const OpContext &context, std::span<const int64_t> image,
                          std::span<const int64_t> kernel, bool ceilMode = false);

} // namespace tilerig::reference
