// Softmax and log-softmax over one row.
//
//   m = maximum of the row, a NaN if any element is one
//   e[i] = fl(exp(double(x[i]) - double(m)))      the formula of README.md in double, one rounding
//   s = e[0] + e[1] + ...                         double, ascending
//   softmax[i] = fl(e[i] / fl(s))
//   logSoftmax[i] = fl((double(x[i]) - double(m)) - log(s))               in double, one rounding
//
// fl() is one rounding to fp32. If the maximum of a row is NaN or infinite, all its results are NaN. The
// output may be the input.
#pragma once

#include "isa/Numerics/Tables.h"

#include <span>

namespace tilerig {

void softmax(std::span<const float> row, std::span<float> out);
void logSoftmax(std::span<const float> row, std::span<float> out);

// The logarithm of the sum of the exponentials of a row: fl(double(m) + log(s)), with the maximum m of the
// row, the sum s of all exp(x[i] - m), and fl() for rounding to fp32.
float logSumExp(std::span<const float> row);

// Softmax of a quantised row: dequantise, softmax, quantise. `reals` is a work buffer for one row.
template <QuantisedStorage From, QuantisedStorage To>
void softmax(std::span<const From> row, const Quantisation &in, float outScale, const Landing &landing,
             std::span<float> reals, std::span<To> out) {
  dequantise(row, in.scale, in.zeroPoint, reals);
  softmax(reals, reals);
  quantise(std::span<const float>(reals), outScale, landing, out);
}

} // namespace tilerig
