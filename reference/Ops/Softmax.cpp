// Softmax and its relatives. Until version 12 a tensor is a matrix, flattened before the axis, and a row is
// normalised; from 13 on it is the axis.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// One line to normalise: elements `stride` apart. Exponentials are formed in double and rounded once, summed
// in ascending order; so the fast result is the machine's.
template <class T>
struct Line {
  T *first;
  int64_t size, stride;
  T &operator[](int64_t i) const { return first[i * stride]; }
  T greatest() const {
    T result = first[0];
    for (int64_t i = 1; i < size; ++i)
      result = (*this)[i] > result || std::isnan((*this)[i]) ? (*this)[i] : result;
    return result;
  }
};

template <class T>
T roundedExp(T x) {
  return static_cast<T>(std::exp(static_cast<double>(x)));
}

struct SoftmaxOf {
  template <class T>
  static void apply(Line<T> line) {
    T greatest = line.greatest(), sum = 0;
    for (int64_t i = 0; i < line.size; ++i) {
      line[i] = roundedExp(line[i] - greatest);
      sum += line[i];
    }
    for (int64_t i = 0; i < line.size; ++i)
      line[i] /= sum;
  }
};

struct LogSoftmaxOf {
  template <class T>
  static void apply(Line<T> line) {
    T greatest = line.greatest(), sum = 0;
    for (int64_t i = 0; i < line.size; ++i)
      sum += roundedExp(line[i] - greatest);
    T logarithm = static_cast<T>(std::log(static_cast<double>(sum)));
    for (int64_t i = 0; i < line.size; ++i)
      line[i] = (line[i] - greatest) - logarithm;
  }
};

// 1 at the first greatest element, 0 elsewhere.
struct HardmaxOf {
  template <class T>
  static void apply(Line<T> line) {
    int64_t best = 0;
    for (int64_t i = 1; i < line.size; ++i)
      best = line[i] > line[best] ? i : best;
    for (int64_t i = 0; i < line.size; ++i)
      line[i] = T(i == best);
  }
};

Result<AxisSplit> linesOf(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  if (context.opset() >= 13) {
    TRY(int64_t raw, context.intAttribute("axis", -1));
    TRY(size_t axis, context.axis(raw, shape.size()));
    return AxisSplit(shape, axis);
  }
  TRY(int64_t raw, context.intAttribute("axis", 1));
  auto rank = static_cast<int64_t>(shape.size());
  if (raw < -rank || raw > rank)
    return context.invalid(fmt::format("axis {} is outside a tensor of rank {}", raw, rank));
  auto cut = static_cast<size_t>(raw < 0 ? raw + rank : raw);
  return AxisSplit({product(std::span(shape).first(cut)), product(std::span(shape).subspan(cut))}, 1);
}

template <class Function, class T>
void normalise(OpContext &context, const AxisSplit &split) {
  Tensor tensor = context.take(0);
  T *elements = tensor.mutableAs<T>().data();
  if (!tensor.sizeBytes()) {
    context.outputs[0] = std::move(tensor);
    return;
  }
  constexpr int64_t grain = 1 << 12;
  context.threads.forEach(
      split.outer * split.inner, std::max<int64_t>(1, grain / split.size), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          Function::apply(Line<T>{elements + i / split.inner * split.size * split.inner + i % split.inner,
                                  split.size, split.inner});
      });
  context.outputs[0] = std::move(tensor);
}

template <class Function>
Status softmaxLike(OpContext &context) {
  TRY(AxisSplit split, linesOf(context));
  if (context.input(0).dtype() == DType::f32)
    normalise<Function, float>(context, split);
  else if (context.input(0).dtype() == DType::f64)
    normalise<Function, double>(context, split);
  else
    return context.invalid(
        fmt::format("input of type {}; floats are wanted", nameOf(context.input(0).dtype())));
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
