// Softmax, LogSoftmax and Hardmax. Before opset 13, the tensor is flattened to a matrix at the axis, and each
// row is normalised; since opset 13, the elements along the axis are normalised. Float32 uses the machine's
// formulas even in the fast arithmetic.
#include "reference/Functions/Functions.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Run/Scratch.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// The elements along the axis of Softmax that are normalised together, as doubles.
using Line = std::span<double>;

double greatest(Line line) {
  double result = line[0];
  for (double x : line)
    result = x > result || std::isnan(x) ? x : result;
  return result;
}

struct SoftmaxOf {
  static void apply(float *rows, int64_t count, int64_t size) { softmaxRows(rows, count, size); }
  static void apply(Line line) {
    double most = greatest(line), sum = 0;
    for (double &x : line)
      sum += x = std::exp(x - most);
    for (double &x : line)
      x /= sum;
  }
};

struct LogSoftmaxOf {
  static void apply(float *rows, int64_t count, int64_t size) { logSoftmaxRows(rows, count, size); }
  static void apply(Line line) {
    double most = greatest(line), sum = 0;
    for (double x : line)
      sum += std::exp(x - most);
    double logarithm = std::log(sum);
    for (double &x : line)
      x = (x - most) - logarithm;
  }
};

// Hardmax: 1 at the first maximum and 0 elsewhere; the first NaN counts as the maximum.
struct HardmaxOf {
  template <class T>
  static void applyTo(std::span<T> line) {
    const auto isBelow = [](T a, T b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    auto best = std::max_element(line.begin(), line.end(), isBelow) - line.begin();
    std::fill(line.begin(), line.end(), T(0));
    line[static_cast<size_t>(best)] = 1;
  }
  static void apply(Line line) { applyTo(line); }
  static void apply(float *rows, int64_t count, int64_t size) {
    for (int64_t i = 0; i < count; ++i)
      applyTo(std::span(rows + i * size, static_cast<size_t>(size)));
  }
};

Result<AxisSplit> linesOf(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  if (context.opset() >= 13) {
    TILERIG_TRY(int64_t raw, context.intAttribute("axis", -1));
    TILERIG_TRY(size_t axis, context.axis(raw, shape.size()));
    return AxisSplit(shape, axis);
  }
  TILERIG_TRY(int64_t raw, context.intAttribute("axis", 1));
  auto rank = static_cast<int64_t>(shape.size());
  if (raw < -rank || raw > rank)
    return context.invalid(fmt::format("axis {} is out of range for a tensor of rank {}", raw, rank));
  auto cut = static_cast<size_t>(raw < 0 ? raw + rank : raw);
  return AxisSplit({product(std::span(shape).first(cut)), product(std::span(shape).subspan(cut))}, 1);
}

template <class Kind>
void normaliseLines(float *lines, int64_t count, int64_t size) {
  Kind::apply(lines, count, size);
}
template <class Kind>
void normaliseLines(double *lines, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i)
    Kind::apply(Line(lines + i * size, static_cast<size_t>(size)));
}

// Normalises lines [begin, end) of elements along an axis whose elements are not contiguous: several lines at
// a time are copied, normalised and copied back.
template <class Kind, class T>
void normaliseStrided(T *elements, const AxisSplit &split, int64_t begin, int64_t end) {
  constexpr int64_t most = 16;
  Scratch<T> lines(most * split.size);
  auto elementOf = [&](int64_t line, int64_t i) -> T & {
    return elements[(line / split.inner * split.size + i) * split.inner + line % split.inner];
  };
  for (; begin < end; begin += most) {
    int64_t count = std::min(most, end - begin);
    for (int64_t i = 0; i < split.size; ++i)
      for (int64_t line = 0; line < count; ++line)
        lines[line * split.size + i] = elementOf(begin + line, i);
    normaliseLines<Kind>(lines.data(), count, split.size);
    for (int64_t i = 0; i < split.size; ++i)
      for (int64_t line = 0; line < count; ++line)
        elementOf(begin + line, i) = lines[line * split.size + i];
  }
}

template <class Kind, class T>
void normalise(OpContext &context, const AxisSplit &split) {
  Tensor tensor = context.take(0);
  T *elements = tensor.mutableAs<T>().data();
  constexpr int64_t grain = 1 << 12;
  if (tensor.sizeBytes())
    context.threads.forEach(split.outer * split.inner, std::max<int64_t>(8, grain / split.size),
                            [&](int64_t begin, int64_t end) {
                              if (split.inner == 1)
                                normaliseLines<Kind>(elements + begin * split.size, end - begin, split.size);
                              else
                                normaliseStrided<Kind>(elements, split, begin, end);
                            });
  context.outputs[0] = std::move(tensor);
}

template <class Kind>
Status softmaxLike(OpContext &context) {
  TILERIG_TRY(AxisSplit split, linesOf(context));
  if (context.input(0).dtype() == DType::f32)
    normalise<Kind, float>(context, split);
  else if (context.input(0).dtype() == DType::f64)
    normalise<Kind, double>(context, split);
  else
    return context.invalid(
        fmt::format("the input has type {}, expected a float type", nameOf(context.input(0).dtype())));
  return success();
}

} // namespace

std::span<const OpEntry> softmaxOps() {
  static constexpr OpEntry entries[] = {
      {"Softmax", 1, 1, 1, softmaxLike<SoftmaxOf>},       {"Softmax", 13, 1, 1, softmaxLike<SoftmaxOf>},
      {"LogSoftmax", 1, 1, 1, softmaxLike<LogSoftmaxOf>}, {"LogSoftmax", 13, 1, 1, softmaxLike<LogSoftmaxOf>},
      {"Hardmax", 1, 1, 1, softmaxLike<HardmaxOf>},       {"Hardmax", 13, 1, 1, softmaxLike<HardmaxOf>},
  };
  return entries;
}

} // namespace tilerig::reference
