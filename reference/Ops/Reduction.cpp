// Reductions over axes, ArgMax and ArgMin, cumulative sums.
//
// A reduction views its input as kept × reduced × inner: a strided walk visits the reduced axes, and the
// elements along the axes after the last reduced one are reduced side by side, so that memory is read in
// order.
#include "reference/Functions/Functions.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Wrapping.h"
#include "reference/Run/Scratch.h"

#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <memory>

namespace tilerig::reference {

namespace {

// The type in which a reduction of elements of type T accumulates: floats in their own type, integers in
// unsigned 64 bits, where wrapping is defined. A reduction rule has a start state, takes each element in
// ascending order (for float32 the machine's order), and computes the result from its state in finish(). The
// mean of integers is rounded towards zero.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;

// Converts a function's result to the type of the elements. A number outside the range of an integer type, as the
// logarithm of 0, becomes the nearest integer of that range.
template <class T, class Number>
T inRange(Number number) {
  if constexpr (std::is_integral_v<T>) {
    if (number >= static_cast<Number>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (!(number > static_cast<Number>(std::numeric_limits<T>::lowest())))
      return std::numeric_limits<T>::lowest();
  }
  return static_cast<T>(number);
}

struct SumOf {
  // A sum of floats starts from -0, because -0 + x is x even for x = -0. The sum of no elements is +0.
  template <class T>
  static Wide<T> start() {
    return std::is_floating_point_v<T> ? Wide<T>(-0.0) : Wide<T>(0);
  }
  template <class T>
  static void take(Wide<T> &sum, T x) {
    sum += x;
  }
  template <class T>
  static T finish(Wide<T> sum, int64_t count) {
    return count == 0 ? T(0) : static_cast<T>(sum);
  }
};
struct MeanOf : SumOf {
  template <class T>
  static T finish(Wide<T> sum, int64_t count) {
    if constexpr (std::is_integral_v<T>)
      return count == 0 ? T(0)
                        : static_cast<T>(std::is_signed_v<T> ? static_cast<int64_t>(sum) / count
                                                             : sum / static_cast<uint64_t>(count));
    else
      return sum / static_cast<T>(count);
  }
};
struct SumOfAbs : SumOf {
  template <class T>
  static Wide<T> start() {
    return 0;
  }
  template <class T>
  static void take(Wide<T> &sum, T x) {
    sum += x < 0 ? -Wide<T>(x) : Wide<T>(x);
  }
};
struct SumOfSquares : SumOf {
  template <class T>
  static Wide<T> start() {
    return 0;
  }
  template <class T>
  static void take(Wide<T> &sum, T x) {
    if constexpr (std::is_floating_point_v<T>)
      sum = std::fma(x, x, sum);
    else
      sum += Wide<T>(x) * Wide<T>(x);
  }
};
struct NormOf : SumOfSquares {
  template <class T>
  static T finish(Wide<T> sum, int64_t) {
    return inRange<T>(std::sqrt(sum));
  }
};
struct LogOfSum : SumOf {
  template <class T>
  static T finish(Wide<T> sum, int64_t) {
    if constexpr (std::is_same_v<T, float>)
      apply({Function::log}, &sum, &sum, 1);
    else
      return inRange<T>(std::log(sum));
    return static_cast<T>(sum);
  }
};
struct ProductOf {
  template <class T>
  static Wide<T> start() {
    return 1;
  }
  template <class T>
  static void take(Wide<T> &product, T x) {
    product *= x;
  }
  template <class T>
  static T finish(Wide<T> product, int64_t) {
    return static_cast<T>(product);
  }
};
// Whether x replaces y as the maximum: NaN prevails over numbers, and +0 is greater than -0.
template <class T>
bool isAbove(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x > y || x != x || (x == y && std::signbit(y));
  else
    return x > y;
}
struct MaxOf {
  template <class T>
  static T start() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
  template <class T>
  static void take(T &best, T x) {
    best = isAbove(x, best) ? x : best;
  }
  template <class T>
  static T finish(T best, int64_t) {
    return best;
  }
};
struct MinOf {
  template <class T>
  static T start() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::max();
  }
  template <class T>
  static void take(T &best, T x) {
    best = x != x || (best == best && isAbove(best, x)) ? x : best;
  }
  template <class T>
  static T finish(T best, int64_t) {
    return best;
  }
};

// Sums contiguous rows of floats, or computes their means.
void sumDenseRows(const float *from, float *to, const ReductionShape &shape, bool mean, Threads &threads) {
  int64_t grain = std::max<int64_t>(8, (1 << 14) / std::max<int64_t>(1, shape.reduced));
  threads.forEach(shape.kept, grain, [&](int64_t begin, int64_t end) {
    sumRows(from + begin * shape.reduced, end - begin, shape.reduced, to + begin);
    for (int64_t k = begin; mean && k < end; ++k)
      to[k] = MeanOf::finish<float>(to[k], shape.reduced);
  });
}

template <class T, class Rule>
void reduceLoop(const T *from, T *to, const ReductionShape &shape, Threads &threads) {
  constexpr bool sum = std::is_same_v<Rule, SumOf>, mean = std::is_same_v<Rule, MeanOf>;
  if constexpr (std::is_same_v<T, float> && (sum || mean))
    if (shape.hasDenseRows())
      return sumDenseRows(from, to, shape, mean, threads);
  using State = decltype(Rule::template start<T>());
  threads.forEach(shape.kept,
                  std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, shape.reduced * shape.inner)),
                  [&](int64_t begin, int64_t end) {
                    auto states = std::make_unique<State[]>(shape.inner);
                    for (int64_t k = begin; k < end; ++k) {
                      std::fill_n(states.get(), shape.inner, Rule::template start<T>());
                      const T *base = from + shape.keptOffset(k);
                      for (int64_t r = 0; r < shape.reduced; ++r) {
                        const T *row = base + shape.reducedOffset(r);
                        for (int64_t i = 0; i < shape.inner; ++i)
                          Rule::template take<T>(states[i], row[i]);
                      }
                      for (int64_t i = 0; i < shape.inner; ++i)
                        to[k * shape.inner + i] = Rule::template finish<T>(states[i], shape.reduced);
                    }
                  });
}

// The axes to reduce: an attribute in older opsets, an input in newer ones. If none are given, all axes are
// reduced, or none with noop_with_empty_axes.
enum class AxesFrom { attribute, input };
struct ReductionAxes {
  std::vector<bool> reduced;
  bool keepDims = true, nothing = false;
};

Result<ReductionAxes> axesOf(OpContext &context, AxesFrom from) {
  ReductionAxes result;
  size_t rank = context.input(0).rank();
  TILERIG_TRY(int64_t keep, context.intAttribute("keepdims", 1));
  TILERIG_TRY(int64_t noop, context.intAttribute("noop_with_empty_axes", 0));
  std::vector<int64_t> axes;
  if (from == AxesFrom::input) {
    if (context.has(1)) {
      TILERIG_TRY(axes, context.integers(1));
    }
  } else {
    TILERIG_TRY(axes, context.intsAttribute("axes", std::vector<int64_t>{}));
  }
  result.keepDims = keep;
  result.nothing = axes.empty() && noop;
  result.reduced.assign(rank, axes.empty());
  for (int64_t axis : axes) {
    TILERIG_TRY(size_t d, context.axis(axis, rank));
    result.reduced[d] = true;
  }
  return result;
}

template <class Rule, AxesFrom axesFrom>
Status reduce(OpContext &context) {
  TILERIG_TRY(ReductionAxes axes, axesOf(context, axesFrom));
  if (axes.nothing) {
    context.outputs[0] = context.take(0);
    return success();
  }
  const Tensor &input = context.input(0);
  ReductionShape shape(input.shape(), axes.reduced);
  return dispatch(input.dtype(), [&]<class T>() -> Status {
    constexpr bool extreme = std::is_same_v<Rule, MaxOf> || std::is_same_v<Rule, MinOf>;
    if constexpr (std::is_arithmetic_v<T> && (!std::is_same_v<T, bool> || extreme)) {
      TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, shape.outputShape(axes.keepDims)));
      if (extreme && shape.reduced == 0 && output.elementCount())
        return context.invalid("the reduced axes are empty, so there is no largest or smallest element");
      reduceLoop<T, Rule>(input.as<T>().data(), output.mutableAs<T>().data(), shape, context.threads);
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(input.dtype())));
    }
  });
}

// Computes log(sum(exp(x))) for each result by the machine's formula, after gathering its elements in a row.
void logSumExpByMachine(const float *from, float *to, const ReductionShape &shape, Threads &threads) {
  threads.forEach(shape.kept * shape.inner, 8, [&](int64_t begin, int64_t end) {
    Scratch<float> row(shape.reduced);
    for (int64_t i = begin; i < end; ++i) {
      const float *base = from + shape.keptOffset(i / shape.inner) + i % shape.inner;
      for (int64_t r = 0; r < shape.reduced; ++r)
        row[r] = base[shape.reducedOffset(r)];
      logSumExpRows(row.data(), 1, shape.reduced, to + i);
    }
  });
}

// log(sum(exp(x))), with the maximum subtracted to avoid overflow. If the maximum is infinite, the result is
// NaN, as isa/Numerics/README.md specifies.
template <AxesFrom axesFrom>
Status reduceLogSumExp(OpContext &context) {
  TILERIG_TRY(ReductionAxes axes, axesOf(context, axesFrom));
  if (axes.nothing) {
    context.outputs[0] = context.take(0);
    return success();
  }
  const Tensor &input = context.input(0);
  ReductionShape shape(input.shape(), axes.reduced);
  return dispatch(input.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_floating_point_v<T>) {
      TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, shape.outputShape(axes.keepDims)));
      const T *from = input.as<T>().data();
      auto to = output.template mutableAs<T>();
      if constexpr (std::is_same_v<T, float>)
        if (context.arithmetic == Arithmetic::machine) {
          logSumExpByMachine(from, to.data(), shape, context.threads);
          context.outputs[0] = std::move(output);
          return success();
        }
      for (int64_t k = 0; k < shape.kept; ++k)
        for (int64_t i = 0; i < shape.inner; ++i) {
          const T *base = from + shape.keptOffset(k) + i;
          T largest = MaxOf::start<T>(), sum = 0;
          for (int64_t r = 0; r < shape.reduced; ++r)
            MaxOf::take<T>(largest, base[shape.reducedOffset(r)]);
          for (int64_t r = 0; r < shape.reduced; ++r)
            sum += std::exp(base[shape.reducedOffset(r)] - largest);
          to[k * shape.inner + i] = std::log(sum) + largest;
        }
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a float type", nameOf(input.dtype())));
    }
  });
}

template <bool largest>
Status argExtreme(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(int64_t keepDims, context.intAttribute("keepdims", 1));
  TILERIG_TRY(int64_t last, context.intAttribute("select_last_index", 0));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, input.rank()));
  std::vector<bool> reduced(input.rank(), false);
  reduced[axis] = true;
  ReductionShape shape(input.shape(), reduced);
  if (shape.reduced == 0)
    return context.invalid(
        fmt::format("axis {} is empty, so there is no largest or smallest element", rawAxis));
  TILERIG_TRY(Tensor output, Tensor::make(DType::i64, shape.outputShape(keepDims)));
  auto to = output.mutableAs<int64_t>();
  return dispatch(input.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T>) {
      const T *from = input.as<T>().data();
      // Whether x replaces the largest or smallest element so far; NaN prevails over numbers.
      auto better = [&](T x, T best) {
        if (x != x || best != best)
          return x != x && (best == best || last);
        return (largest ? x > best : x < best) || (last && x == best);
      };
      for (int64_t k = 0; k < shape.kept; ++k)
        for (int64_t i = 0; i < shape.inner; ++i) {
          const T *base = from + shape.keptOffset(k) + i;
          int64_t best = 0;
          for (int64_t r = 1; r < shape.reduced; ++r)
            if (better(base[shape.reducedOffset(r)], base[shape.reducedOffset(best)]))
              best = r;
          to[k * shape.inner + i] = best;
        }
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(input.dtype())));
    }
  });
}

Status cumulativeSum(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(int64_t exclusive, context.intAttribute("exclusive", 0));
  TILERIG_TRY(int64_t reverse, context.intAttribute("reverse", 0));
  TILERIG_TRY(std::vector<int64_t> axes, context.integers(1));
  if (axes.size() != 1)
    return context.invalid("input axis must be a scalar");
  TILERIG_TRY(size_t axis, context.axis(axes[0], input.rank()));
  AxisSplit split(input.shape(), axis);
  return dispatch(input.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, input.shape()));
      const T *from = input.as<T>().data();
      auto to = output.template mutableAs<T>();
      for (int64_t o = 0; o < split.outer; ++o)
        for (int64_t i = 0; i < split.inner; ++i) {
          T sum = 0;
          for (int64_t step = 0; step < split.size; ++step) {
            int64_t at = (o * split.size + (reverse ? split.size - 1 - step : step)) * split.inner + i;
            T next = wrappingSum(sum, from[at]);
            to[at] = exclusive ? sum : next;
            sum = next;
          }
        }
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(input.dtype())));
    }
  });
}

} // namespace

std::span<const OpEntry> reductionOps() {
  using enum AxesFrom;
  static constexpr OpEntry entries[] = {
      {"ReduceSum", 1, 1, 1, reduce<SumOf, attribute>},
      {"ReduceSum", 13, 1, 2, reduce<SumOf, input>},
      {"ReduceMean", 1, 1, 1, reduce<MeanOf, attribute>},
      {"ReduceMean", 18, 1, 2, reduce<MeanOf, input>},
      {"ReduceProd", 1, 1, 1, reduce<ProductOf, attribute>},
      {"ReduceProd", 18, 1, 2, reduce<ProductOf, input>},
      {"ReduceMax", 1, 1, 1, reduce<MaxOf, attribute>},
      {"ReduceMax", 18, 1, 2, reduce<MaxOf, input>},
      {"ReduceMin", 1, 1, 1, reduce<MinOf, attribute>},
      {"ReduceMin", 18, 1, 2, reduce<MinOf, input>},
      {"ReduceL1", 1, 1, 1, reduce<SumOfAbs, attribute>},
      {"ReduceL1", 18, 1, 2, reduce<SumOfAbs, input>},
      {"ReduceL2", 1, 1, 1, reduce<NormOf, attribute>},
      {"ReduceL2", 18, 1, 2, reduce<NormOf, input>},
      {"ReduceSumSquare", 1, 1, 1, reduce<SumOfSquares, attribute>},
      {"ReduceSumSquare", 18, 1, 2, reduce<SumOfSquares, input>},
      {"ReduceLogSum", 1, 1, 1, reduce<LogOfSum, attribute>},
      {"ReduceLogSum", 18, 1, 2, reduce<LogOfSum, input>},
      {"ReduceLogSumExp", 1, 1, 1, reduceLogSumExp<attribute>},
      {"ReduceLogSumExp", 18, 1, 2, reduceLogSumExp<input>},
      {"ArgMax", 1, 1, 1, argExtreme<true>},
      {"ArgMin", 1, 1, 1, argExtreme<false>},
      {"CumSum", 11, 2, 2, cumulativeSum},
  };
  return entries;
}

} // namespace tilerig::reference
