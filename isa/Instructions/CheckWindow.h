// How far windows and resampling may reach beyond an image. All products fit in 64 bits: sizes are below
// 2^31, strides, dilations and padding below 2^16.
#pragma once

#include "isa/Instructions/Operands.h"
#include "isa/Instructions/Pe.h"
#include "isa/Support/Error.h"

namespace tilerig::rules {

// Nothing is read further outside an image than this.
inline constexpr int64_t maxPadding = UINT16_MAX;

// Rows or columns of windows over an image.
struct WindowAxis {
  uint32_t outputs, taps, stride, dilation, pad, size;
  int outputsDim; // dimension of the output in which they are counted
  std::string_view padName;

  int64_t start(uint32_t output) const { return int64_t{output} * stride - pad; }
};
// The image has its rows in dims[2] and its columns in dims[3]; the output has them in these.
WindowAxis rowsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps,
                  int dim = 2);
WindowAxis columnsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps,
                     int dim = 3);

inline constexpr std::string_view windowRule =
    "no tap lies more than 65535 rows or columns outside the input, on any side";
// The last tap lies at most maxPadding behind the image, as the first lies at most that before it.
Status checkReach(const WindowAxis &axis);
// Every window has a tap inside the image.
Status checkTaps(const WindowAxis &axis);

// Positions of a resize lie at most maxPadding outside the image, and their numerators fit in 63 bits.
Status checkResize(const FieldPath &at, const ResizeAxis &axis, uint32_t outputs, uint32_t size);

} // namespace tilerig::rules
