// Padding with a constant, or with elements of the input selected by an index map for each axis.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/StridedCopy.h"
#include "reference/Ops/TakeAlong.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::reference {

namespace {

// For each axis, the number of elements added in front and behind; negative numbers crop.
struct Pads {
  std::vector<int64_t> before, after;
};

// Reads the pads of all axes: an attribute before opset 11, an input since then; only from 18 on may it list
// some of the axes.
Result<Pads> padsOf(OpContext &context) {
  size_t rank = context.input(0).rank();
  std::vector<int64_t> values, axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (context.opset() >= 11) {
    if (!context.has(1))
      return context.invalid("input pads is missing");
    TILERIG_TRY(values, context.integers(1));
    if (context.has(3)) {
      TILERIG_TRY(axes, context.integers(3));
    }
  } else {
    TILERIG_TRY(values, context.intsAttribute(context.opset() < 2 ? "paddings" : "pads"));
  }
  if (values.size() != 2 * axes.size())
    return context.invalid(
        fmt::format("pads has {} numbers, expected two for each of {} axes", values.size(), axes.size()));
  Pads pads{std::vector<int64_t>(rank), std::vector<int64_t>(rank)};
  std::vector<bool> padded(rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    TILERIG_TRY(size_t axis, context.axis(axes[i], rank));
    if (padded[axis])
      return context.invalid(fmt::format("axis {} is given twice", axes[i]));
    padded[axis] = true;
    pads.before[axis] = values[i];
    pads.after[axis] = values[axes.size() + i];
  }
  return pads;
}

// Crops a tensor by the negative pads, and sets these pads to zero.
Result<Tensor> cropped(const OpContext &context, Pads &pads) {
  const Tensor &input = context.input(0);
  StridedView view = viewOf(input);
  bool changed = false;
  for (size_t d = 0; d < input.rank(); ++d) {
    int64_t size = input.shape()[d], front = std::min<int64_t>(pads.before[d], 0),
            back = std::min<int64_t>(pads.after[d], 0);
    if (front < -size || back < -size - front)
      return context.invalid(fmt::format("pads {} and {} remove more elements than axis {} of size {} has",
                                         pads.before[d], pads.after[d], d, size));
    changed |= front || back;
    view.shape[d] = size + front + back;
    view.offset -= front * view.strides[d];
    pads.before[d] -= front;
    pads.after[d] -= back;
  }
  return changed ? stridedCopy(input, view, context.threads) : input;
}

Result<Shape> paddedShape(const OpContext &context, const Tensor &input, const Pads &pads) {
  Shape shape = input.shape();
  for (size_t d = 0; d < shape.size(); ++d)
    if (__builtin_add_overflow(shape[d], pads.before[d], &shape[d]) ||
        __builtin_add_overflow(shape[d], pads.after[d], &shape[d]))
      return context.invalid(fmt::format("pads of axis {} are too large", d));
  return shape;
}

Result<Tensor> paddedByConstant(const Tensor &input, const Pads &pads, const Shape &shape,
                                const Tensor &element) {
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(input.dtype(), shape));
  dispatch(input.dtype(), [&]<class T>() {
    auto all = output.mutableAs<T>();
    std::fill(all.begin(), all.end(), element.as<T>()[0]);
  });
  insertBox(output, input, pads.before);
  return output;
}

// Modes of padding. Each maps `place`, an index on the padded axis relative to the first original element, to
// the index of the original element to use. `size` is the size of the original axis.
int64_t reflected(int64_t place, int64_t size) {
  if (size == 1)
    return 0;
  int64_t period = 2 * (size - 1), phase = (place % period + period) % period;
  return std::min(phase, period - phase);
}
int64_t nearest(int64_t place, int64_t size) { return std::clamp<int64_t>(place, 0, size - 1); }
int64_t wrapped(int64_t place, int64_t size) { return (place % size + size) % size; }

using PlaceMap = int64_t (*)(int64_t place, int64_t size);

Result<Tensor> paddedByMap(const OpContext &context, Tensor tensor, const Pads &pads, const Shape &shape,
                           PlaceMap map) {
  TILERIG_CHECK_OK(sizeBytesOf(tensor.dtype(), shape));
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = tensor.shape()[d];
    if (size == shape[d])
      continue;
    if (size == 0)
      return context.invalid(fmt::format("axis {} is empty, so it has no elements to pad with", d));
    // The index map of a padded axis is allocated as a tensor, so that a map beyond the memory limit is an
    // error.
    TILERIG_TRY(Tensor places, Tensor::makeUninitialised(DType::i64, {shape[d]}));
    auto to = places.mutableAs<int64_t>();
    for (int64_t i = 0; i < shape[d]; ++i)
      to[i] = map(i - pads.before[d], size);
    TILERIG_TRY(tensor, takeAlong(tensor, d, to, {shape[d]}, context.threads));
  }
  return tensor;
}

// The padding value: an attribute before opset 11, an input since then.
Result<Tensor> padElement(OpContext &context) {
  DType type = context.input(0).dtype();
  if (context.opset() >= 11 && context.has(2)) {
    const Tensor &element = context.input(2);
    if (element.elementCount() != 1 || element.dtype() != type)
      return context.invalid(fmt::format("constant_value must be a single element of type {}", nameOf(type)));
    return element;
  }
  TILERIG_TRY(float value, context.floatAttribute("value", 0.0f));
  Tensor element(type, {});
  if (type == DType::f32)
    element.mutableAs<float>()[0] = value;
  else if (type == DType::f64)
    element.mutableAs<double>()[0] = value;
  else if (value != 0)
    return context.invalid(fmt::format(
        "attribute value is {}, but an input of type {} can be padded only with 0", value, nameOf(type)));
  return element;
}

Status pad(OpContext &context) {
  TILERIG_TRY(std::string mode, context.textAttribute("mode", "constant"));
  TILERIG_TRY(Pads pads, padsOf(context));
  TILERIG_TRY(Tensor element, padElement(context));
  TILERIG_TRY(Tensor input, cropped(context, pads));
  TILERIG_TRY(Shape shape, paddedShape(context, input, pads));
  if (mode == "constant") {
    TILERIG_TRY(context.outputs[0], paddedByConstant(input, pads, shape, element));
    return success();
  }
  PlaceMap map = mode == "reflect" ? reflected
                 : mode == "edge"  ? nearest
                 : mode == "wrap"  ? wrapped
                                   : nullptr;
  if (!map)
    return context.invalid(
        fmt::format("attribute mode is '{}', expected constant, reflect, edge or wrap", mode));
  TILERIG_TRY(context.outputs[0], paddedByMap(context, std::move(input), pads, shape, map));
  return success();
}

// The operator CenterCropPad: crops, or pads with zeros, on both sides alike; if the number of elements to
// add or remove is odd, one more is added or removed at the end.
Status centerCropPad(OpContext &context) {
  const Tensor &input = context.input(0);
  size_t rank = input.rank();
  TILERIG_TRY(std::vector<int64_t> wanted, context.integers(1));
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  TILERIG_TRY(std::vector<int64_t> axes, context.intsAttribute("axes", all));
  if (axes.size() != wanted.size())
    return context.invalid(fmt::format("shape has {} sizes for {} axes", wanted.size(), axes.size()));
  Pads pads{std::vector<int64_t>(rank), std::vector<int64_t>(rank)};
  for (size_t i = 0; i < axes.size(); ++i) {
    TILERIG_TRY(size_t axis, context.axis(axes[i], rank));
    int64_t size = input.shape()[axis];
    if (wanted[i] < 0)
      return context.invalid(fmt::format("size {} of axis {} is negative", wanted[i], axes[i]));
    // Division rounds towards zero, so if `change` is odd, the end takes the larger half, in cropping and in
    // padding.
    int64_t change = wanted[i] - size;
    pads.before[axis] = change / 2;
    pads.after[axis] = change - change / 2;
  }
  TILERIG_TRY(Tensor middle, cropped(context, pads));
  TILERIG_TRY(Shape shape, paddedShape(context, middle, pads));
  TILERIG_TRY(context.outputs[0], paddedByConstant(middle, pads, shape, Tensor(input.dtype(), {})));
  return success();
}

} // namespace

std::span<const OpEntry> paddingOps() {
  static constexpr OpEntry entries[] = {
      {"Pad", 1, 1, 1, pad, HalfFloats::native},
      {"Pad", 11, 2, 3, pad, HalfFloats::native},
      {"Pad", 18, 2, 4, pad, HalfFloats::native},
      {"CenterCropPad", 18, 2, 2, centerCropPad, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
