// The element-wise functions and row operations of Functions.h; compiled once for each SIMD level, see
// Simd/Level.h.
#include "reference/Functions/Kernels.h"
#include "reference/Functions/Angles.h"
#include "reference/Functions/Formulas.h"

namespace tilerig::reference::TILERIG_SIMD {

namespace {

// Tests for NaN and chooses between floats by their bits, so that every NaN becomes the same NaN. A compiler
// may simplify `x != x ? NaN : x` to x, which would keep the bits of the NaN x.
inline bool isNan(float x) { return (__builtin_bit_cast(uint32_t, x) & 0x7fffffff) > 0x7f800000; }
inline float chosen(bool isNan, float otherwise) {
  return __builtin_bit_cast(float, isNan ? uint32_t{0x7fc00000} : __builtin_bit_cast(uint32_t, otherwise));
}

template <Function f>
inline double evaluateInDouble(double x, double alpha, double beta) {
  if constexpr (f == Function::exp)
    return exponential(x);
  else if constexpr (f == Function::log)
    return naturalLogarithm(x);
  else if constexpr (f == Function::sigmoid)
    return 1 / (1 + exponential(0 - x));
  else if constexpr (f == Function::tanh)
    return hyperbolicTangent(x);
  else if constexpr (f == Function::sinh)
    return hyperbolicSine(x);
  else if constexpr (f == Function::cosh)
    return hyperbolicCosine(x);
  else if constexpr (f == Function::softplus)
    return softplus(x);
  else if constexpr (f == Function::softsign)
    return softsign(x);
  else if constexpr (f == Function::silu)
    return silu(x);
  else if constexpr (f == Function::mish)
    return mish(x);
  else if constexpr (f == Function::hardSigmoid)
    return atMost(atLeast(fma(alpha, x, beta), 0), 1);
  else if constexpr (f == Function::hardSwish)
    return hardSwish(x);
  else if constexpr (f == Function::elu)
    return x >= 0 ? x : alpha * exponentialMinusOne(x);
  else if constexpr (f == Function::selu)
    return beta * (x > 0 ? x : alpha * exponentialMinusOne(x));
  else if constexpr (f == Function::celu)
    return (x > 0 ? x : 0) + atMost(alpha * exponentialMinusOne(x / alpha), 0);
  else if constexpr (f == Function::geluErf)
    return geluErf(x);
  else if constexpr (f == Function::geluTanh)
    return geluTanh(x);
  else if constexpr (f == Function::erf)
    return errorFunction(x);
  else if constexpr (f == Function::sin)
    return sine(x);
  else if constexpr (f == Function::cos)
    return cosine(x);
  else if constexpr (f == Function::tan)
    return tangent(x);
  else if constexpr (f == Function::asin)
    return arcSine(x);
  else if constexpr (f == Function::acos)
    return arcCosine(x);
  else if constexpr (f == Function::atan)
    return arcTangent(x);
  else if constexpr (f == Function::asinh)
    return areaSine(x);
  else if constexpr (f == Function::acosh)
    return areaCosine(x);
  else {
    static_assert(f == Function::atanh);
    return areaTangent(x);
  }
}

// The element-wise function f of x. Functions that are a single float operation or a selection are computed
// in float; all others are computed in double and rounded.
template <Function f>
inline float evaluate(float x, float alpha, float beta) {
  if constexpr (f == Function::relu)
    return x < 0 ? 0 : x;
  else if constexpr (f == Function::leakyRelu)
    return x < 0 ? alpha * x : x;
  else if constexpr (f == Function::thresholdedRelu)
    return x <= alpha ? 0 : x;
  else if constexpr (f == Function::clip) {
    float low = x < alpha ? alpha : x;
    return low > beta ? beta : low;
  } else if constexpr (f == Function::sqrt)
    return __builtin_sqrtf(x);
  else if constexpr (f == Function::reciprocal)
    return 1 / x;
  else if constexpr (f == Function::abs)
    return __builtin_fabsf(x);
  else if constexpr (f == Function::neg)
    return -x;
  else if constexpr (f == Function::floor)
    return __builtin_floorf(x);
  else if constexpr (f == Function::ceil)
    return __builtin_ceilf(x);
  else if constexpr (f == Function::round)
    return __builtin_rintf(x);
  else if constexpr (f == Function::sign)
    return x > 0 ? 1 : x < 0 ? -1 : x;
  else
    return static_cast<float>(evaluateInDouble<f>(x, alpha, beta));
}

// y[i] = f(x[i]). x and y may be the same array but must not otherwise overlap, since the loop is compiled as
// if no element depended on another element's result.
template <Function f>
void applyTo(const float *x, float *y, int64_t size, float alpha, float beta) {
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i) {
    float result = evaluate<f>(x[i], alpha, beta);
    y[i] = chosen(isNan(x[i]) || isNan(result), result);
  }
}

using Apply = void (*)(const float *, float *, int64_t, float, float);
template <int... functions>
struct Table {
  static constexpr Apply entries[] = {applyTo<static_cast<Function>(functions)>...};
};
template <int count, int... functions>
struct TableOf : TableOf<count - 1, count - 1, functions...> {};
template <int... functions>
struct TableOf<0, functions...> : Table<functions...> {};

void apply(const FunctionCall &call, const float *x, float *y, int64_t size) {
  TableOf<numFunctions>::entries[static_cast<int>(call.function)](x, y, size, call.alpha, call.beta);
}

template <int xStep, int yStep>
void raiseTo(const float *x, const float *y, float *z, int64_t size) {
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i) {
    auto result = static_cast<float>(power(x[i * xStep], y[i * yStep]));
    z[i] = chosen(isNan(result), result);
  }
}
void raise(const float *x, int64_t xStep, const float *y, int64_t yStep, float *z, int64_t size) {
  if (xStep == 0)
    yStep == 0 ? raiseTo<0, 0>(x, y, z, size) : raiseTo<0, 1>(x, y, z, size);
  else
    yStep == 0 ? raiseTo<1, 0>(x, y, z, size) : raiseTo<1, 1>(x, y, z, size);
}

// Number of rows that are summed side by side: each sum is a chain of dependent additions, whose latency is
// hidden by the chains of the other rows.
constexpr int group = 8;

// Splits rows into groups of `group` rows. Calls use<group>(first row) for each full group, then use<1>(row)
// for each remaining row.
template <class Use>
inline void forGroups(int64_t count, Use use) {
  int64_t row = 0;
  for (; row + group <= count; row += group)
    use.template operator()<group>(row);
  for (; row < count; ++row)
    use.template operator()<1>(row);
}

// Sums each row of a group, starting with its first element.
template <int rows, class Sum>
inline void sumGroup(const float *from, int64_t size, Sum *results) {
  Sum sums[rows];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
    sums[r] = size ? from[r * size] : 0;
  for (int64_t i = 1; i < size; ++i)
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
      sums[r] += from[r * size + i];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
    results[r] = sums[r];
}

void sumRows(const float *from, int64_t count, int64_t size, float *results) {
  forGroups(count, [&]<int rows>(int64_t row) { sumGroup<rows>(from + row * size, size, results + row); });
}

// The maximum of a row; NaN if any element of the row is NaN.
float greatest(const float *row, int64_t size) {
  constexpr int width = 32;
  float best[width];
  for (int j = 0; j < width; ++j)
    best[j] = -__builtin_inff();
  int64_t i = 0;
  for (; i + width <= size; i += width)
    for (int j = 0; j < width; ++j)
      best[j] = row[i + j] > best[j] || row[i + j] != row[i + j] ? row[i + j] : best[j];
  for (; i < size; ++i)
    best[0] = row[i] > best[0] || row[i] != row[i] ? row[i] : best[0];
  for (int j = 1; j < width; ++j)
    best[0] = best[j] > best[0] || best[j] != best[j] ? best[j] : best[0];
  return best[0];
}

// to[i] = exp(row[i] - shift), with difference and exponential in double.
void exponentials(const float *row, double shift, float *to, int64_t size) {
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i)
    to[i] = static_cast<float>(exponential(static_cast<double>(row[i]) - shift));
}

void softmaxRows(float *all, int64_t count, int64_t size) {
  forGroups(count, [&]<int rows>(int64_t row) {
    float *from = all + row * size;
    double sums[rows];
    for (int r = 0; r < rows; ++r)
      exponentials(from + r * size, greatest(from + r * size, size), from + r * size, size);
    sumGroup<rows>(from, size, sums);
    for (int r = 0; r < rows; ++r) {
      const auto sum = static_cast<float>(sums[r]);
      for (int64_t i = 0; i < size; ++i)
        from[r * size + i] /= sum;
    }
  });
}

// The logarithm of sum(exp(row[i] - most)), where `most` is the row's maximum.
double logOfSum(const float *row, double most, int64_t size) {
  constexpr int64_t block = 512;
  float parts[block];
  double sum = 0;
  for (int64_t i = 0; i < size; i += block) {
    int64_t length = size - i < block ? size - i : block;
    exponentials(row + i, most, parts, length);
    for (int64_t j = 0; j < length; ++j)
      sum += static_cast<double>(parts[j]);
  }
  return sum != sum ? notANumber : naturalLogarithm(sum);
}

void logSoftmaxRows(float *all, int64_t count, int64_t size) {
  for (int64_t row = 0; row < count; ++row) {
    float *from = all + row * size;
    double most = greatest(from, size), l = logOfSum(from, most, size);
    for (int64_t i = 0; i < size; ++i)
      from[i] = static_cast<float>((static_cast<double>(from[i]) - most) - l);
  }
}

void logSumExpRows(const float *all, int64_t count, int64_t size, float *results) {
  for (int64_t row = 0; row < count; ++row) {
    double most = greatest(all + row * size, size);
    results[row] = static_cast<float>(most + logOfSum(all + row * size, most, size));
  }
}

inline float factorAt(const RowNormalisation::Factor &factor, int64_t row, int64_t i, float missing) {
  return factor.data ? factor.data[row * factor.rowStep + i * factor.step] : missing;
}

void normaliseRow(const RowNormalisation &how, int64_t row, const float *x, float *y, float mean,
                  float inverse) {
  const float *gain = how.gain.data, *shift = how.shift.data;
  if (gain && shift && how.gain.step == 1 && how.shift.step == 1) {
    gain += row * how.gain.rowStep, shift += row * how.shift.rowStep;
#pragma GCC ivdep
    for (int64_t i = 0; i < how.size; ++i)
      y[i] = __builtin_fmaf((x[i] - mean) * inverse, gain[i], shift[i]);
  } else if (how.gain.step == 0 && how.shift.step == 0) {
    float g = factorAt(how.gain, row, 0, 1), s = factorAt(how.shift, row, 0, 0);
#pragma GCC ivdep
    for (int64_t i = 0; i < how.size; ++i)
      y[i] = __builtin_fmaf((x[i] - mean) * inverse, g, s);
  } else {
    for (int64_t i = 0; i < how.size; ++i)
      y[i] = __builtin_fmaf((x[i] - mean) * inverse, factorAt(how.gain, row, i, 1),
                            factorAt(how.shift, row, i, 0));
  }
}

void normaliseRows(const RowNormalisation &how, const float *x, float *y, int64_t count, float *means,
                   float *inverses) {
  int64_t size = how.size;
  auto n = static_cast<float>(size);
  forGroups(count, [&]<int rows>(int64_t row) {
    float mean[rows] = {}, squares[rows] = {};
    if (how.centred) {
      sumGroup<rows>(x + row * size, size, mean);
      for (int r = 0; r < rows; ++r)
        mean[r] /= n;
    }
    for (int64_t i = 0; i < size; ++i)
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        float d = x[(row + r) * size + i] - mean[r];
        squares[r] = __builtin_fmaf(d, d, squares[r]);
      }
    for (int r = 0; r < rows; ++r) {
      float inverse = 1 / __builtin_sqrtf(squares[r] / n + how.epsilon);
      normaliseRow(how, row + r, x + (row + r) * size, y + (row + r) * size, mean[r], inverse);
      if (means)
        means[row + r] = mean[r];
      if (inverses)
        inverses[row + r] = inverse;
    }
  });
}

void normaliseRun(const float *x, int64_t size, float mean, float factor, float bias, float *y) {
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i)
    y[i] = (x[i] - mean) * factor + bias;
}

} // namespace

const FunctionKernels &functionKernels() {
  static constexpr FunctionKernels kernels = {apply,         raise,         softmaxRows,  logSoftmaxRows,
                                              logSumExpRows, normaliseRows, normaliseRun, sumRows};
  return kernels;
}

} // namespace tilerig::reference::TILERIG_SIMD
