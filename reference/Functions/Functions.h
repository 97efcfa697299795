// The functions of one number, and the rows, that the accelerator promises, to the bit.
//
// Formulas and constants are those of the page isa/Numerics/README.md, and from that page alone: nothing is
// shared with the code beside it. They are computed in double and rounded once, so that they are as good for
// the fast arithmetic as anything could be; both use them for float32. The loops are compiled for each level
// of processors (Simd/Level.h) and give the same bits on all.
#pragma once

#include <cstdint>

namespace tilerig::reference {

// By their names on the page.
enum class Function {
  relu,
  leakyRelu,       // alpha
  thresholdedRelu, // alpha
  clip,            // alpha, beta
  sqrt,
  reciprocal,
  abs,
  neg,
  floor,
  ceil,
  round,
  sign,
  exp,
  log,
  sigmoid,
  tanh,
  sinh,
  cosh,
  softplus,
  softsign,
  silu,
  mish,
  hardSigmoid, // alpha, beta
  hardSwish,
  elu,  // alpha
  selu, // alpha, beta (gamma)
  celu, // alpha
  geluErf,
  geluTanh,
  erf,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  asinh,
  acosh,
  atanh,
};
inline constexpr int numFunctions = static_cast<int>(Function::atanh) + 1;

struct FunctionCall {
  Function function;
  float alpha = 0, beta = 0;
};

// y[i] = f(x[i]); x and y may be the same.
void apply(const FunctionCall &call, const float *x, float *y, int64_t size);

// z[i] = pow(x[i * xStep], y[i * yStep]), for steps of 0 or 1.
void raise(const float *x, int64_t xStep, const float *y, int64_t yStep, float *z, int64_t size);

// Rows of `size` elements, one after the other, each computed by itself in ascending order; a few are
// computed side by side, which is what makes it fast.
void softmaxRows(float *rows, int64_t count, int64_t size);
void logSoftmaxRows(float *rows, int64_t count, int64_t size);
// results[i] = log(sum(exp(row i))).
void logSumExpRows(const float *rows, int64_t count, int64_t size, float *results);

struct RowNormalisation {
  int64_t size;
  float epsilon;
  bool centred = true; // false: root mean square
  // Element i of row r is scaled by gain[r * rowStep + i * step], or not where it is null; so for shift.
  struct Factor {
    const float *data = nullptr;
    int64_t rowStep = 0, step = 0;
  } gain, shift;
};
// y may be x. `means` and `inverses`, one for each row, may be null.
void normaliseRows(const RowNormalisation &how, const float *x, float *y, int64_t count, float *means,
                   float *inverses);

// y = (x - mean) * factor + bias, three operations; y may be x.
void normaliseRun(const float *x, int64_t size, float mean, float factor, float bias, float *y);

// results[i]: the sum of row i, from its first element on; 0 for an empty row.
void sumRows(const float *rows, int64_t count, int64_t size, float *results);

} // namespace tilerig::reference
