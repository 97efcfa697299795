// Element-wise functions and row operations whose results have exactly the bits that the accelerator
// promises.
//
// Formulas and constants are taken from the document isa/Numerics/README.md only; no code is shared with
// isa/Numerics. The functions are computed in double and rounded once. Both arithmetics (`fast` and `machine`
// of Run/Operator.h) use them for float32, since they are accurate enough for `fast` as well. The loops are
// compiled for each SIMD level (Simd/Level.h) and give the same bits on all of them.
#pragma once

#include <cstdint>

namespace tilerig::reference {

// Functions, named as in the document isa/Numerics/README.md. Comments list the parameters of FunctionCall
// that a function uses; other functions use none.
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
  selu, // parameters alpha and beta (which ONNX calls gamma)
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

// y[i] = f(x[i]), where f is call.function with its parameters; x and y may be the same.
void apply(const FunctionCall &call, const float *x, float *y, int64_t size);

// z[i] = pow(x[i * xStep], y[i * yStep]); each step is 0 or 1.
void raise(const float *x, int64_t xStep, const float *y, int64_t yStep, float *z, int64_t size);

// Softmax and log-softmax in place, on `count` contiguous rows of `size` elements. Each row is summed in
// ascending order; several rows are computed side by side for speed.
void softmaxRows(float *rows, int64_t count, int64_t size);
void logSoftmaxRows(float *rows, int64_t count, int64_t size);
// results[i] = log(sum(exp(x))), where the sum is over the elements x of row i.
void logSumExpRows(const float *rows, int64_t count, int64_t size, float *results);

struct RowNormalisation {
  int64_t size;
  float epsilon;
  bool centred = true; // false: root mean square normalisation, in which no mean is subtracted
  // Gains or shifts: the number for element i of row r is data[r * rowStep + i * step]; if `data` is null,
  // there are none. An element is multiplied by its gain after the normalisation, then its shift is added.
  struct Factor {
    const float *data = nullptr;
    int64_t rowStep = 0, step = 0;
  } gain, shift;
};
// Normalises `count` contiguous rows of x into y, which may be x. Unless null, `means` receives the mean of
// each row, and `inverses` the reciprocal of its standard deviation.
void normaliseRows(const RowNormalisation &how, const float *x, float *y, int64_t count, float *means,
                   float *inverses);

// y = (x - mean) * factor + bias, as three separately rounded operations; y may be x.
void normaliseRun(const float *x, int64_t size, float mean, float factor, float bias, float *y);

// results[i] = the sum of row i in ascending order, starting with its first element; 0 for an empty row.
void sumRows(const float *rows, int64_t count, int64_t size, float *results);

} // namespace tilerig::reference
