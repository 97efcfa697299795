#include "reference/Ops/Window.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// With kernel sizes, strides, dilations and pads below 2^31 and images up to 2^40, all sums and products in
// this file stay below 2^63.
constexpr int64_t factorLimit = int64_t{1} << 31;
constexpr int64_t imageLimit = int64_t{1} << 40;

int64_t ceilDivide(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

Status checkFactor(const OpContext &context, std::string_view name, int64_t value, int64_t least) {
  if (value < least || value >= factorLimit)
    return context.invalid(
        fmt::format("{} has the value {}, expected {} to {}", name, value, least, factorLimit - 1));
  return success();
}

// Reads a list attribute of `count` numbers; if the attribute is absent, all are `fallback`.
Result<std::vector<int64_t>> factors(const OpContext &context, std::string_view name, size_t count,
                                     int64_t fallback) {
  TILERIG_TRY(std::vector<int64_t> values,
              context.intsAttribute(name, std::vector<int64_t>(count, fallback)));
  if (values.size() != count)
    return context.invalid(fmt::format("{} has {} numbers, expected {}", name, values.size(), count));
  for (int64_t value : values)
    TILERIG_CHECK_OK(checkFactor(context, name, value, fallback));
  return values;
}

Result<AutoPad> autoPadOf(const OpContext &context) {
  TILERIG_TRY(std::string name, context.textAttribute("auto_pad", "NOTSET"));
  if (name == "NOTSET" || name.empty())
    return AutoPad::notSet;
  if (name == "VALID")
    return AutoPad::valid;
  if (name == "SAME_UPPER")
    return AutoPad::sameUpper;
  if (name == "SAME_LOWER")
    return AutoPad::sameLower;
  return context.invalid(
      fmt::format("attribute auto_pad is '{}', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", name));
}

// Sets the pads of an axis for auto_pad SAME, so that ceil(size / stride) positions cover the image.
void padToSame(WindowAxis &axis, AutoPad autoPad) {
  axis.outputs = ceilDivide(axis.size, axis.stride);
  int64_t total = std::max<int64_t>(0, (axis.outputs - 1) * axis.stride + axis.extent() - axis.size);
  int64_t less = total / 2, more = total - less;
  axis.padBegin = autoPad == AutoPad::sameUpper ? less : more;
  axis.padEnd = autoPad == AutoPad::sameUpper ? more : less;
}

void countPositions(WindowAxis &axis, bool ceilMode) {
  int64_t slack = axis.size + axis.padBegin + axis.padEnd - axis.extent();
  axis.outputs = (ceilMode ? ceilDivide(slack, axis.stride) : slack / axis.stride) + 1;
  if (ceilMode && (axis.outputs - 1) * axis.stride >= axis.size + axis.padBegin)
    --axis.outputs;
}

Status placeOver(const OpContext &context, WindowAxis &axis, int64_t size, AutoPad autoPad, bool ceilMode) {
  if (size >= imageLimit)
    return context.notSupported(fmt::format("an image axis of {} elements is too long", size));
  axis.size = size;
  if (autoPad == AutoPad::sameUpper || autoPad == AutoPad::sameLower) {
    padToSame(axis, autoPad);
    return success();
  }
  if (axis.extent() > size + axis.padBegin + axis.padEnd)
    return context.invalid(fmt::format("a window of {} elements is larger than an axis of {} padded by {}+{}",
                                       axis.extent(), size, axis.padBegin, axis.padEnd));
  countPositions(axis, ceilMode);
  return success();
}

template <class F>
int64_t productOf(const Window &window, F sizeOf) {
  int64_t result = 1;
  for (const WindowAxis &axis : window)
    result *= sizeOf(axis);
  return result;
}

} // namespace

Span tapsInside(const WindowAxis &axis, int64_t output) {
  int64_t start = axis.start(output);
  int64_t begin = std::clamp<int64_t>(ceilDivide(-start, axis.dilation), 0, axis.kernel);
  int64_t end = std::clamp<int64_t>(ceilDivide(axis.size - start, axis.dilation), begin, axis.kernel);
  return {begin, end};
}

Span positionsInside(const WindowAxis &axis, int64_t tap, int64_t first, int64_t last) {
  int64_t offset = tap * axis.dilation - axis.padBegin;
  int64_t begin = std::clamp(ceilDivide(-offset, axis.stride), first, last);
  int64_t end = std::clamp(ceilDivide(axis.size - offset, axis.stride), begin, last);
  return {begin, end};
}

int64_t countOutputs(const Window &window) {
  return productOf(window, [](const WindowAxis &axis) { return axis.outputs; });
}
int64_t countTaps(const Window &window) {
  return productOf(window, [](const WindowAxis &axis) { return axis.kernel; });
}
int64_t countImage(const Window &window) {
  return productOf(window, [](const WindowAxis &axis) { return axis.size; });
}

Shape outputShape(std::span<const int64_t> leading, const Window &window) {
  Shape shape(leading.begin(), leading.end());
  for (const WindowAxis &axis : window)
    shape.push_back(axis.outputs);
  return shape;
}

Result<WindowAttributes> windowAttributes(const OpContext &context, std::span<const int64_t> kernel) {
  WindowAttributes result;
  TILERIG_TRY(result.autoPad, autoPadOf(context));
  TILERIG_TRY(auto strides, factors(context, "strides", kernel.size(), 1));
  TILERIG_TRY(auto dilations, factors(context, "dilations", kernel.size(), 1));
  TILERIG_TRY(auto pads, factors(context, "pads", 2 * kernel.size(), 0));
  if (result.autoPad != AutoPad::notSet)
    pads.assign(pads.size(), 0);
  int64_t taps = 1;
  for (size_t d = 0; d < kernel.size(); ++d) {
    TILERIG_CHECK_OK(checkFactor(context, "the size of the kernel", kernel[d], 1));
    if (__builtin_mul_overflow(taps, kernel[d], &taps))
      return context.notSupported(
          fmt::format("a kernel of shape {} is too large", showShape(Shape(kernel.begin(), kernel.end()))));
    result.axes.push_back({0, kernel[d], strides[d], dilations[d], pads[d], pads[kernel.size() + d]});
  }
  return result;
}

Result<Window> windowOver(const OpContext &context, std::span<const int64_t> image,
                          std::span<const int64_t> kernel, bool ceilMode) {
  if (image.size() != kernel.size())
    return context.invalid(
        fmt::format("the kernel has {} axes, but the image has {}", kernel.size(), image.size()));
  TILERIG_TRY(WindowAttributes attributes, windowAttributes(context, kernel));
  for (size_t d = 0; d < image.size(); ++d)
    TILERIG_CHECK_OK(placeOver(context, attributes.axes[d], image[d], attributes.autoPad, ceilMode));
  return std::move(attributes.axes);
}

} // namespace tilerig::reference
