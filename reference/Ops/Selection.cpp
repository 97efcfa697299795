// Operators that select elements by a condition, an order or a value.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/ElementOfSize.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/TakeAlong.h"
#include "reference/Run/Floats.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::reference {

namespace {

template <class T>
concept Real = std::is_arithmetic_v<T>;

template <class Element>
void chooseElements(OpContext &context, Tensor &output) {
  const Tensor &condition = context.input(0), &yes = context.input(1), &no = context.input(2);
  BroadcastLoop<3> loop(output.shape(), {condition.shape(), yes.shape(), no.shape()});
  auto c = condition.as<bool>().data();
  auto x = reinterpret_cast<const Element *>(yes.bytes().data());
  auto y = reinterpret_cast<const Element *>(no.bytes().data());
  auto to = reinterpret_cast<Element *>(output.mutableBytes().data());
  int64_t sc = loop.innerStride(0), sx = loop.innerStride(1), sy = loop.innerStride(2);
  constexpr int64_t grain = 1 << 14;
  context.threads.forEach(
      loop.rows, std::max<int64_t>(1, grain / loop.inner), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          auto start = loop.startOf(row);
          for (int64_t i = 0; i < loop.inner; ++i)
            to[row * loop.inner + i] = c[start[0] + i * sc] ? x[start[1] + i * sx] : y[start[2] + i * sy];
        }
      });
}

Status where(OpContext &context) {
  const Tensor &condition = context.input(0), &yes = context.input(1), &no = context.input(2);
  if (condition.dtype() != DType::boolean || yes.dtype() != no.dtype())
    return context.invalid(fmt::format("the inputs have the types {}, {} and {}, expected a bool condition "
                                       "and two values of one type",
                                       nameOf(condition.dtype()), nameOf(yes.dtype()), nameOf(no.dtype())));
  TILERIG_TRY(Shape shape, broadcastShape(context, std::array{condition.shape(), yes.shape(), no.shape()}));
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(yes.dtype(), shape));
  if (output.elementCount())
    withElementOfSize(sizeBytes(yes.dtype()),
                      [&]<class Element>() { chooseElements<Element>(context, output); });
  context.outputs[0] = std::move(output);
  return success();
}

// Converts an index of any number type to an integer; NaN and numbers that are too large become far larger
// than any depth of OneHot, so that they select nothing.
template <Real T>
int64_t asIndex(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(value) < T(1e15) ? static_cast<int64_t>(value) : INT64_MAX;
  else
    return std::in_range<int64_t>(value) ? static_cast<int64_t>(value) : INT64_MAX;
}

Result<std::vector<int64_t>> anyIntegers(const OpContext &context, Tensor tensor) {
  if (tensor.dtype() == DType::f16 || tensor.dtype() == DType::bf16)
    tensor = widened(tensor);
  std::vector<int64_t> result;
  return dispatch(tensor.dtype(), [&]<class T>() -> Result<std::vector<int64_t>> {
    if constexpr (Real<T> && !std::is_same_v<T, bool>) {
      for (T element : tensor.as<T>())
        result.push_back(asIndex(element));
      return result;
    } else {
      return context.invalid(
          fmt::format("an input has type {}, expected a numeric type", nameOf(tensor.dtype())));
    }
  });
}

Status oneHot(OpContext &context) {
  const Tensor &indices = context.input(0), &values = context.input(2);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", -1));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, indices.rank() + 1));
  TILERIG_TRY(std::vector<int64_t> depths, anyIntegers(context, context.input(1)));
  if (depths.size() != 1 || depths[0] < 0 || values.elementCount() != 2)
    return context.invalid("depth must be one number, at least 0, and values must have two elements");
  int64_t depth = depths[0];
  TILERIG_TRY(std::vector<int64_t> places, anyIntegers(context, indices));
  Shape shape = indices.shape();
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), depth);
  auto output = Tensor::makeUninitialised(values.dtype(), shape);
  if (!output)
    return context.invalid(output.error().what);
  int64_t inner = product(std::span(shape).subspan(axis + 1));
  withElementOfSize(sizeBytes(values.dtype()), [&]<class Element>() {
    auto pair = reinterpret_cast<const Element *>(values.bytes().data());
    auto to = reinterpret_cast<Element *>(output->mutableBytes().data());
    std::fill_n(to, output->elementCount(), pair[0]);
    for (size_t i = 0; i < places.size(); ++i) {
      int64_t place = places[i] < 0 ? places[i] + depth : places[i], at = static_cast<int64_t>(i);
      if (place >= 0 && place < depth)
        to[(at / inner * depth + place) * inner + at % inner] = pair[1];
    }
  });
  context.outputs[0] = *std::move(output);
  return success();
}

// The tensor whose slices along an axis are selected: the input or, without an axis attribute, the flattened
// input.
struct Chosen {
  Tensor tensor;
  size_t axis = 0;
};

Result<Chosen> alongAxisOrFlat(OpContext &context) {
  const Tensor &input = context.input(0);
  if (!context.hasAttribute("axis")) {
    TILERIG_TRY(Tensor flat, input.reshaped({static_cast<int64_t>(input.elementCount())}));
    return Chosen{std::move(flat), 0};
  }
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis"));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, input.rank()));
  return Chosen{input, axis};
}

Status compress(OpContext &context) {
  TILERIG_TRY(Chosen from, alongAxisOrFlat(context));
  const Tensor &condition = context.input(1);
  int64_t size = from.tensor.shape()[from.axis];
  if (condition.dtype() != DType::boolean || condition.rank() != 1 || condition.shape()[0] > size)
    return context.invalid(
        fmt::format("the condition has type and shape {} {}, expected at most {} bools in one axis",
                    nameOf(condition.dtype()), showShape(condition.shape()), size));
  std::vector<int64_t> places;
  auto flags = condition.as<bool>();
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i])
      places.push_back(static_cast<int64_t>(i));
  TILERIG_TRY(context.outputs[0], takeAlong(from.tensor, from.axis, places,
                                            {static_cast<int64_t>(places.size())}, context.threads));
  return success();
}

Status nonZero(OpContext &context) {
  const Tensor &input = context.input(0);
  std::vector<int64_t> indices;
  TILERIG_CHECK_OK(dispatch(input.dtype(), [&]<class T>() -> Status {
    if constexpr (Real<T>) {
      auto elements = input.as<T>();
      for (size_t i = 0; i < elements.size(); ++i)
        if (elements[i] != T(0))
          indices.push_back(static_cast<int64_t>(i));
      return success();
    } else {
      return context.notSupported(
          fmt::format("elements of type {} are not supported", nameOf(input.dtype())));
    }
  }));
  auto count = static_cast<int64_t>(indices.size());
  TILERIG_TRY(Tensor output, Tensor::make(DType::i64, {static_cast<int64_t>(input.rank()), count}));
  auto to = output.mutableAs<int64_t>();
  const Shape &shape = input.shape();
  for (int64_t i = 0; i < count; ++i)
    for (size_t d = shape.size(); d-- > 0; indices[i] /= shape[d])
      to[static_cast<int64_t>(d) * count + i] = indices[i] % shape[d];
  context.outputs[0] = std::move(output);
  return success();
}

// Three-way comparison in which NaN is greater than all numbers and equal to itself.
template <Real T>
int ordered(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return int(std::isnan(a)) - int(std::isnan(b));
  return a < b ? -1 : b < a;
}

template <Real T>
int compareSlices(const T *elements, const AxisSplit &split, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (int64_t i = 0; i < split.inner; ++i) {
      const T *base = elements + outer * split.size * split.inner + i;
      if (int order = ordered(base[a * split.inner], base[b * split.inner]))
        return order;
    }
  return 0;
}

// Groups the indices of equal slices: the indices in a group are ascending, and the groups are ordered by the
// values of their slices.
template <Real T>
std::vector<std::vector<int64_t>> equalSlices(const Tensor &tensor, const AxisSplit &split) {
  std::vector<int64_t> order(static_cast<size_t>(split.size));
  std::iota(order.begin(), order.end(), 0);
  const T *elements = tensor.as<T>().data();
  auto compare = [&](int64_t a, int64_t b) { return compareSlices(elements, split, a, b); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  std::vector<std::vector<int64_t>> groups;
  for (int64_t slice : order) {
    if (groups.empty() || compare(groups.back()[0], slice) != 0)
      groups.emplace_back();
    groups.back().push_back(slice);
  }
  return groups;
}

Tensor listOf(const std::vector<int64_t> &elements) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), tensor.mutableAs<int64_t>().begin());
  return tensor;
}

Status unique(OpContext &context) {
  TILERIG_TRY(int64_t sorted, context.intAttribute("sorted", 1));
  TILERIG_TRY(Chosen from, alongAxisOrFlat(context));
  AxisSplit split(from.tensor.shape(), from.axis);
  std::vector<std::vector<int64_t>> groups;
  // Slices without elements are all equal; they are not sorted, since there could be more of them than memory
  // can hold.
  TILERIG_CHECK_OK(dispatch(from.tensor.dtype(), [&]<class T>() -> Status {
    if constexpr (Real<T>) {
      if (from.tensor.elementCount())
        groups = equalSlices<T>(from.tensor, split);
      return success();
    } else {
      return context.notSupported(
          fmt::format("elements of type {} are not supported", nameOf(from.tensor.dtype())));
    }
  }));
  if (!from.tensor.elementCount() && split.size)
    return context.notSupported("empty slices are not supported");
  if (!sorted)
    std::sort(groups.begin(), groups.end());
  std::vector<int64_t> firsts, counts, inverse(static_cast<size_t>(split.size));
  for (const auto &group : groups) {
    for (int64_t slice : group)
      inverse[static_cast<size_t>(slice)] = static_cast<int64_t>(firsts.size());
    firsts.push_back(group[0]);
    counts.push_back(static_cast<int64_t>(group.size()));
  }
  TILERIG_TRY(context.outputs[0], takeAlong(from.tensor, from.axis, firsts,
                                            {static_cast<int64_t>(firsts.size())}, context.threads));
  const std::vector<int64_t> *lists[] = {&firsts, &inverse, &counts};
  for (size_t i = 1; i < context.numOutputs() && i < 4; ++i)
    context.outputs[i] = listOf(*lists[i - 1]);
  return success();
}

Result<int64_t> topKCount(OpContext &context, int64_t size) {
  int64_t k = 0;
  if (context.opset() < 10) {
    TILERIG_TRY(k, context.intAttribute("k"));
  } else {
    if (!context.has(1))
      return context.invalid("input k is missing");
    TILERIG_TRY(std::vector<int64_t> values, context.integers(1));
    if (values.size() != 1)
      return context.invalid("input k must be a single number");
    k = values[0];
  }
  if (k < 0 || k > size)
    return context.invalid(fmt::format("k is {}, but the axis has {} elements", k, size));
  return k;
}

// TopK: of equal elements, the first in the input comes first. The result is sorted even if that is not
// requested.
template <Real T>
void topKLines(OpContext &context, const AxisSplit &split, int64_t k, bool largest) {
  const T *from = context.input(0).as<T>().data();
  T *values = context.output(0).mutableAs<T>().data();
  int64_t *places = context.output(1).mutableAs<int64_t>().data();
  context.threads.forEach(split.outer * split.inner, 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> order(static_cast<size_t>(split.size));
    for (int64_t line = begin; line < end; ++line) {
      int64_t outer = line / split.inner, inner = line % split.inner;
      const T *first = from + outer * split.size * split.inner + inner;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
        int comparison = ordered(first[a * split.inner], first[b * split.inner]);
        return comparison ? (comparison > 0) == largest : a < b;
      });
      for (int64_t i = 0; i < k; ++i) {
        int64_t to = (outer * k + i) * split.inner + inner;
        values[to] = first[order[i] * split.inner];
        places[to] = order[i];
      }
    }
  });
}

Status topK(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", -1));
  TILERIG_TRY(int64_t largest, context.intAttribute("largest", 1));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, input.rank()));
  TILERIG_TRY(int64_t k, topKCount(context, input.shape()[axis]));
  AxisSplit split(input.shape(), axis);
  Shape shape = input.shape();
  shape[axis] = k;
  context.outputs.resize(std::max<size_t>(2, context.outputs.size()));
  TILERIG_TRY(context.outputs[0], Tensor::makeUninitialised(input.dtype(), shape));
  TILERIG_TRY(context.outputs[1], Tensor::makeUninitialised(DType::i64, shape));
  return dispatch(input.dtype(), [&]<class T>() -> Status {
    if constexpr (Real<T> && !std::is_same_v<T, bool>) {
      if (context.output(0).elementCount())
        topKLines<T>(context, split, k, largest != 0);
      return success();
    } else {
      return context.notSupported(
          fmt::format("elements of type {} are not supported", nameOf(input.dtype())));
    }
  });
}

Status reverseSequence(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(int64_t time, context.intAttribute("time_axis", 0));
  TILERIG_TRY(int64_t batch, context.intAttribute("batch_axis", 1));
  TILERIG_TRY(std::vector<int64_t> lengths, context.integers(1));
  if (input.rank() < 2 || time < 0 || time > 1 || batch != 1 - time)
    return context.invalid("time_axis and batch_axis must be the first two axes");
  int64_t steps = input.shape()[time], batches = input.shape()[batch];
  if (static_cast<int64_t>(lengths.size()) != batches)
    return context.invalid(
        fmt::format("sequence_lens has {} lengths for a batch of {} sequences", lengths.size(), batches));
  for (int64_t length : lengths)
    if (length < 0 || length > steps)
      return context.invalid(fmt::format("sequence length {} is out of range for {} steps", length, steps));
  // Treats the axes of time and batch as a single axis: reversing the sequences permutes the slices along it.
  Shape merged(input.shape().begin() + 1, input.shape().end());
  merged[0] = steps * batches;
  TILERIG_TRY(Tensor flat, input.reshaped(merged));
  TILERIG_TRY(Tensor places, Tensor::makeUninitialised(DType::i64, {steps * batches}));
  auto to = places.mutableAs<int64_t>();
  auto at = [&](int64_t t, int64_t b) { return time == 0 ? t * batches + b : b * steps + t; };
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t t = 0; t < steps; ++t)
      to[at(t, b)] = at(t < lengths[b] ? lengths[b] - 1 - t : t, b);
  TILERIG_TRY(Tensor reversed, takeAlong(flat, 0, to, {steps * batches}, context.threads));
  TILERIG_TRY(context.outputs[0], reversed.reshaped(input.shape()));
  return success();
}

} // namespace

std::span<const OpEntry> selectionOps() {
  static constexpr OpEntry entries[] = {
      {"Where", 9, 3, 3, where, HalfFloats::native},
      {"OneHot", 9, 3, 3, oneHot, HalfFloats::native},
      {"Compress", 9, 2, 2, compress, HalfFloats::native},
      {"NonZero", 9, 1, 1, nonZero},
      {"Unique", 11, 1, 1, unique},
      {"TopK", 1, 1, 1, topK},
      {"TopK", 10, 2, 2, topK},
      {"ReverseSequence", 10, 2, 2, reverseSequence, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
