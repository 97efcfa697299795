// Softmax and its logarithm over one row.
//
//   m = maximum of the row, a NaN if any element is one
//   e[i] = fl(exp(double(x[i]) - double(m)))      the formula of README.md in double, one rounding
//   s = e[0] + e[1] + ...                         double, ascending
//   softmax[i] = fl(e[i] / fl(s))
//   logSoftmax[i] = fl((double(x[i]) - double(m)) - log(s))               in double, one rounding
//
// A row whose maximum is NaN or infinite gives NaN throughout. The output may be the input.
#pragma once

#include "isa/Numerics/Tables.h"

#include <span>

namespace tilerig {

void softmax(std::span<const float> row, std::span<float> out);
void logSoftmax(std::span<const float> row, std::span<float> out);

// fl(double(m) + log(s)), what a logarithm of a sum of exponentials is.
float logSumExp(std::span<const float> row);

// On quantised rows: dequantised, softmax, quantised. `reals` is room for one row.
template <QuantisedStorage From, QuantisedStorage To>
void softmax(std::span<const From> row, const Quantisation &in, float outScale, const Landing &landing,
             std::span<float> reals, std::span<To> out) {
  dequantise(row, in.scale, in.zeroPoint, reals);
  softmax(reals, reals);
  quantise(std::span<const float>(reals), outScale, landing, out);
}

} // namespace tilerig
