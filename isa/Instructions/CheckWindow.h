// Limits on how far windows and resampling may reach outside an image. All products fit in 64 bits: sizes are
// below 2^31; strides, dilations and padding are below 2^16.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Operands.h"
#include "isa/Instructions/Pe.h"

namespace tilerig::rules {

// Maximum distance of a tap from the image, in rows or columns.
inline constexpr int64_t maxPadding = UINT16_MAX;

// One axis of a sliding window: the windows over the rows, or over the columns, of an image.
struct WindowAxis {
  uint32_t outputs, taps, stride, dilation, pad, size;
  int outputsDim; // dimension of the output stream whose size is the number of windows
  std::string_view padName;

  int64_t start(uint32_t output) const { return int64_t{output} * stride - pad; }
};
// The axes of a window over an image, whose rows are input.dims[2] and whose columns are input.dims[3]; `dim`
// is the dimension of the output that counts the windows.
WindowAxis rowsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps,
                  int dim = 2);
WindowAxis columnsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps,
                     int dim = 3);

inline constexpr std::string_view windowRule =
    "no tap lies more than 65535 rows or columns outside the input, on any side";
// Checks that the last tap of the last window lies at most maxPadding behind the image. (The range of the
// padding field limits the distance of the first tap before the image.)
Status checkReach(const WindowAxis &axis);
// Checks that every window has at least one tap inside the image.
Status checkTaps(const WindowAxis &axis);

// Checks that all positions of a resize lie at most maxPadding outside the image. The positions are
// fractions, whose numerators must fit in 63 bits.
Status checkResize(const FieldPath &at, const ResizeAxis &axis, uint32_t outputs, uint32_t size);

} // namespace tilerig::rules
