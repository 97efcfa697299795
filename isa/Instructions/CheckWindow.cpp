#include "isa/Instructions/CheckWindow.h"

#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {

namespace {

Error refuseOutputs(const WindowAxis &axis, std::string_view remedy) {
  const FieldPath output = topLevel("output"), dim{&output, "dims", axis.outputsDim};
  return refuse({&dim, "size"}, axis.outputs, remedy);
}

Error refusePad(const WindowAxis &axis, std::string_view remedy) {
  const FieldPath window = topLevel("window");
  return refuse({&window, axis.padName}, axis.pad, remedy);
}

} // namespace

WindowAxis rowsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps, int dim) {
  return {.outputs = output.dims[dim].size,
          .taps = taps,
          .stride = window.strideH,
          .dilation = window.dilationH,
          .pad = window.padTop,
          .size = input.dims[2].size,
          .outputsDim = dim,
          .padName = "pad_top"};
}

WindowAxis columnsOf(const Window &window, const Stream &input, const Stream &output, uint32_t taps,
                     int dim) {
  return {.outputs = output.dims[dim].size,
          .taps = taps,
          .stride = window.strideW,
          .dilation = window.dilationW,
          .pad = window.padLeft,
          .size = input.dims[3].size,
          .outputsDim = dim,
          .padName = "pad_left"};
}

Status checkReach(const WindowAxis &axis) {
  const int64_t last = axis.start(axis.outputs - 1) + int64_t{axis.taps - 1} * axis.dilation;
  if (last < int64_t{axis.size} + maxPadding)
    return success();
  return refuseOutputs(
      axis,
      fmt::format(
          "expected a smaller output: the last tap of the last window is at index {}, more than {} positions "
          "beyond the input, which has size {}",
          last, maxPadding, axis.size));
}

// A window that starts inside the image has its first tap inside the image. So it suffices to check the
// windows that start in the padding before the image, and the last window.
Status checkTaps(const WindowAxis &axis) {
  for (uint32_t o = 0; o < axis.outputs && axis.start(o) < 0; ++o) {
    const int64_t skipped = (-axis.start(o) + axis.dilation - 1) / axis.dilation;
    if (skipped >= axis.taps || axis.start(o) + skipped * axis.dilation >= axis.size)
      return refusePad(axis, fmt::format("expected less padding: window {} has no tap inside the input", o));
  }
  const int64_t last = axis.start(axis.outputs - 1);
  if (last >= axis.size)
    return refuseOutputs(
        axis,
        fmt::format(
            "expected a smaller output: the last window starts at index {}, beyond the input, which has "
            "size {}",
            last, axis.size));
  return success();
}

Status checkResize(const FieldPath &at, const ResizeAxis &axis, uint32_t outputs, uint32_t size) {
  // The sum cannot overflow 64 bits: the product of a 31-bit number and a 32-bit number is below 2^63, and so
  // is the 48-bit offset.
  const int64_t step = int64_t{outputs - 1} * axis.numerator;
  if (axis.offset > 0 && step > INT64_MAX - axis.offset)
    return refuse(
        {&at, "offset"}, axis.offset,
        "expected a smaller offset: the position of the last output, index * numerator + offset, must be "
        "below 2^63");
  const auto indexOf = [&](int64_t position) {
    return position / axis.denominator - (position % axis.denominator < 0);
  };
  const auto isFar = [&](int64_t index) {
    return index < -maxPadding || index >= int64_t{size} + maxPadding;
  };
  const auto expected = [&](const char *output, int64_t index) {
    return fmt::format(
        "expected another value: the {} output reads the input at index {}, more than {} positions outside "
        "the input, which has size {}",
        output, index, maxPadding, size);
  };
  if (const int64_t first = indexOf(axis.offset); isFar(first))
    return refuse({&at, "offset"}, axis.offset, expected("first", first));
  if (const int64_t last = indexOf(step + axis.offset); isFar(last))
    return refuse({&at, "numerator"}, axis.numerator, expected("last", last));
  return success();
}

} // namespace tilerig::rules
