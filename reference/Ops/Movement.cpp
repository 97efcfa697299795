// Operators that move elements without changing them: transpose, concatenate, split, slice, repeat,
// rearrange.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Concatenate.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/StridedCopy.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

namespace tilerig::reference {

Result<Tensor> concatenate(const OpContext &context, std::span<const Tensor> tensors, int64_t axis,
                           std::string_view noun) {
  const Tensor &first = tensors[0];
  TILERIG_TRY(const size_t along, context.axis(axis, first.rank()));
  Shape shape = first.shape();
  shape[along] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Shape other = tensors[i].shape();
    bool fits = tensors[i].dtype() == first.dtype() && other.size() == shape.size();
    if (fits) {
      shape[along] += other[along];
      other[along] = shape[along];
      fits = other == shape;
    }
    if (!fits)
      return context.invalid(fmt::format("{0} {1} ({2} {3}) and {0} 0 ({4} {5}) do not match along axis {6}",
                                         noun, i, nameOf(tensors[i].dtype()), showShape(tensors[i].shape()),
                                         nameOf(first.dtype()), showShape(first.shape()), axis));
  }
  TILERIG_TRY(Tensor result, Tensor::makeUninitialised(first.dtype(), shape));
  Shape begin(shape.size(), 0);
  for (const Tensor &tensor : tensors) {
    insertBox(result, tensor, begin);
    begin[along] += tensor.shape()[along];
  }
  return result;
}

namespace {

Status show(OpContext &context, const StridedView &view) {
  TILERIG_TRY(context.outputs[0], stridedCopy(context.input(0), view, context.threads));
  return success();
}

Status transpose(OpContext &context) {
  const Tensor &input = context.input(0);
  std::vector<int64_t> reversed(input.rank());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  TILERIG_TRY(std::vector<int64_t> order, context.intsAttribute("perm", reversed));
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(reversed.begin(), reversed.end());
  if (sorted != reversed)
    return context.invalid(fmt::format("attribute perm is [{}], which is not a permutation of {} axes",
                                       fmt::join(order, ", "), input.rank()));
  StridedView view, whole = viewOf(input);
  for (int64_t axis : order) {
    view.shape.push_back(whole.shape[axis]);
    view.strides.push_back(whole.strides[axis]);
  }
  return show(context, view);
}

Status concat(OpContext &context) {
  TILERIG_TRY(int64_t axis,
              context.intAttribute("axis", context.opset() < 4 ? std::optional<int64_t>(1) : std::nullopt));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < context.numInputs(); ++i) {
    if (!context.has(i))
      return context.invalid(fmt::format("input {} is missing", i));
    tensors.push_back(context.input(i));
  }
  TILERIG_TRY(context.outputs[0], concatenate(context, tensors, axis, "input"));
  return success();
}

// The sizes of the parts of Split: from an attribute (opsets 2 to 12) or an input. If none are given, the
// parts are equal; from opset 18 on, the last one may be shorter.
Result<std::vector<int64_t>> splitSizes(OpContext &context, int64_t size) {
  std::vector<int64_t> parts;
  if ((context.opset() >= 13 || context.opset() < 2) && context.has(1)) {
    TILERIG_TRY(parts, context.integers(1));
  } else if (context.opset() < 13 && context.hasAttribute("split")) {
    TILERIG_TRY(parts, context.intsAttribute("split"));
  } else {
    auto count = static_cast<int64_t>(context.numOutputs());
    TILERIG_TRY(count, context.intAttribute("num_outputs", count));
    if (count < 1 || count != static_cast<int64_t>(context.numOutputs()))
      return context.invalid(fmt::format("attribute num_outputs is {}, but the node has {} outputs", count,
                                         context.numOutputs()));
    if (context.opset() < 18 && size % count)
      return context.invalid(
          fmt::format("an axis of size {} cannot be split evenly into {} outputs", size, count));
    int64_t part = size / count + (size % count != 0);
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(std::clamp<int64_t>(size - i * part, 0, part));
  }
  int64_t total = 0;
  for (int64_t part : parts)
    if (part < 0 || part > size || (total += part) > size)
      return context.invalid(
          fmt::format("split [{}] does not add up to the axis size {}", fmt::join(parts, ", "), size));
  if (total != size || parts.size() != context.numOutputs())
    return context.invalid(fmt::format("split [{}] does not match the axis size {} and the {} outputs",
                                       fmt::join(parts, ", "), size, context.numOutputs()));
  return parts;
}

Status split(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, input.rank()));
  TILERIG_TRY(std::vector<int64_t> sizes, splitSizes(context, input.shape()[axis]));
  StridedView view = viewOf(input);
  for (size_t i = 0; i < sizes.size(); ++i) {
    view.shape[axis] = sizes[i];
    TILERIG_TRY(context.outputs[i], stridedCopy(input, view, context.threads));
    view.offset += sizes[i] * view.strides[axis];
  }
  return success();
}

// The elements that a slice keeps along one axis.
struct SliceRange {
  int64_t start, step, size;
};

SliceRange sliceRange(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto place = [&](int64_t index) { return index < 0 ? std::max(index, -size - 1) + size : index; };
  if (step > 0) {
    start = std::clamp<int64_t>(place(start), 0, size);
    end = std::clamp<int64_t>(place(end), 0, size);
    return {start, step, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(place(start), -1, size - 1);
  end = std::clamp<int64_t>(place(end), -1, size - 1);
  // The lowest int64 cannot be negated; as a step it is so long that the slice has a single element in any
  // case.
  int64_t stride = step == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -step;
  return {start, -stride, start > end ? (start - end - 1) / stride + 1 : 0};
}

Status slice(OpContext &context) {
  const Tensor &input = context.input(0);
  std::vector<int64_t> starts, ends, axes, steps;
  if (context.opset() < 10) {
    TILERIG_TRY(starts, context.intsAttribute("starts"));
    TILERIG_TRY(ends, context.intsAttribute("ends"));
    TILERIG_TRY(axes, context.intsAttribute("axes", std::vector<int64_t>{}));
  } else {
    if (!context.has(1) || !context.has(2))
      return context.invalid("input starts or ends is missing");
    TILERIG_TRY(starts, context.integers(1));
    TILERIG_TRY(ends, context.integers(2));
    if (context.has(3)) {
      TILERIG_TRY(axes, context.integers(3));
    }
    if (context.has(4)) {
      TILERIG_TRY(steps, context.integers(4));
    }
  }
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return context.invalid("starts, ends, axes and steps must have the same length");
  StridedView view = viewOf(input);
  for (size_t i = 0; i < starts.size(); ++i) {
    TILERIG_TRY(size_t axis, context.axis(axes[i], input.rank()));
    if (steps[i] == 0)
      return context.invalid("a step of 0 is not allowed");
    SliceRange range = sliceRange(starts[i], ends[i], steps[i], input.shape()[axis]);
    view.shape[axis] = range.size;
    view.offset += range.size ? range.start * view.strides[axis] : 0;
    // An axis with a single element needs no stride, and multiplying its stride by a huge step could
    // overflow.
    view.strides[axis] *= range.size > 1 ? range.step : 0;
  }
  return show(context, view);
}

Status expand(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(std::vector<int64_t> wanted, context.integers(1));
  TILERIG_CHECK_OK(sizeBytesOf(input.dtype(), wanted));
  TILERIG_TRY(Shape shape, broadcastShape(context, std::array{input.shape(), wanted}));
  StridedView view{shape, std::vector<int64_t>(shape.size(), 0), 0};
  auto strides = input.strides();
  for (size_t d = 0; d < input.rank(); ++d)
    if (input.shape()[d] != 1)
      view.strides[shape.size() - input.rank() + d] = strides[d];
  return show(context, view);
}

// The operator Tile: copies a view of the input in which each dimension has become two, the index of the
// repetition (stride 0) and the index within it.
Status tile(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(std::vector<int64_t> repeats, context.integers(1));
  if (repeats.size() != input.rank())
    return context.invalid(
        fmt::format("repeats has {} numbers, but the input has {} axes", repeats.size(), input.rank()));
  StridedView view;
  Shape shape = input.shape();
  auto strides = input.strides();
  for (size_t d = 0; d < input.rank(); ++d) {
    if (repeats[d] < 0 || __builtin_mul_overflow(shape[d], repeats[d], &shape[d]))
      return context.invalid(
          fmt::format("the number of repeats of axis {} is {}, which is out of range", d, repeats[d]));
    view.shape.insert(view.shape.end(), {repeats[d], input.shape()[d]});
    view.strides.insert(view.strides.end(), {0, strides[d]});
  }
  TILERIG_TRY(Tensor copied, stridedCopy(input, view, context.threads));
  TILERIG_TRY(context.outputs[0], copied.reshaped(shape));
  return success();
}

// Moves blocks of channels to blocks of pixels (DepthToSpace), or back: views the tensor with the six
// dimensions `split` and transposes them to `order`.
Result<Tensor> rearranged(OpContext &context, const Shape &split, std::array<size_t, 6> order,
                          const Shape &shape) {
  TILERIG_TRY(Tensor input, context.input(0).reshaped(split));
  StridedView view;
  auto strides = input.strides();
  for (size_t d : order) {
    view.shape.push_back(split[d]);
    view.strides.push_back(strides[d]);
  }
  TILERIG_TRY(Tensor moved, stridedCopy(input, view, context.threads));
  return moved.reshaped(shape);
}

Status depthToSpace(OpContext &context) {
  const Shape &in = context.input(0).shape();
  TILERIG_TRY(int64_t block, context.intAttribute("blocksize"));
  TILERIG_TRY(std::string mode, context.textAttribute("mode", "DCR"));
  if (in.size() != 4 || block < 1 || block > (1 << 15) || in[1] % (block * block))
    return context.invalid(
        fmt::format("blocksize {} does not match input shape {}: rank must be 4, and blocksize squared must "
                    "divide the channels",
                    block, showShape(in)));
  int64_t channels = in[1] / (block * block);
  Shape shape = {in[0], channels, in[2] * block, in[3] * block};
  if (mode == "DCR") {
    TILERIG_TRY(context.outputs[0], rearranged(context, {in[0], block, block, channels, in[2], in[3]},
                                               {0, 3, 4, 1, 5, 2}, shape));
  } else if (mode == "CRD") {
    TILERIG_TRY(context.outputs[0], rearranged(context, {in[0], channels, block, block, in[2], in[3]},
                                               {0, 1, 4, 2, 5, 3}, shape));
  } else {
    return context.invalid(fmt::format("attribute mode is '{}', expected DCR or CRD", mode));
  }
  return success();
}

Status spaceToDepth(OpContext &context) {
  const Shape &in = context.input(0).shape();
  TILERIG_TRY(int64_t block, context.intAttribute("blocksize"));
  if (in.size() != 4 || block < 1 || block > (1 << 15) || in[2] % block || in[3] % block)
    return context.invalid(
        fmt::format("blocksize {} does not match input shape {}: rank must be 4, and blocksize must divide "
                    "height and width",
                    block, showShape(in)));
  Shape split = {in[0], in[1], in[2] / block, block, in[3] / block, block};
  Shape shape = {in[0], in[1] * block * block, in[2] / block, in[3] / block};
  TILERIG_TRY(context.outputs[0], rearranged(context, split, {0, 3, 5, 1, 2, 4}, shape));
  return success();
}

} // namespace

std::span<const OpEntry> movementOps() {
  static constexpr OpEntry entries[] = {
      {"Transpose", 1, 1, 1, transpose, HalfFloats::native},
      {"Concat", 1, 1, anyNumber, concat, HalfFloats::native},
      {"Split", 1, 1, 2, split, HalfFloats::native},
      {"Split", 2, 1, 1, split, HalfFloats::native},
      {"Split", 13, 1, 2, split, HalfFloats::native},
      {"Split", 18, 1, 2, split, HalfFloats::native},
      {"Slice", 1, 1, 1, slice, HalfFloats::native},
      {"Slice", 10, 3, 5, slice, HalfFloats::native},
      {"Expand", 8, 2, 2, expand, HalfFloats::native},
      {"Tile", 6, 2, 2, tile, HalfFloats::native},
      {"DepthToSpace", 1, 1, 1, depthToSpace, HalfFloats::native},
      {"SpaceToDepth", 1, 1, 1, spaceToDepth, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
