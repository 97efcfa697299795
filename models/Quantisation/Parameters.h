// Scales, zero points and quantised constants.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "models/Quantisation/Observe.h"

namespace tilerig::models {

// x = (q - zeroPoint) * scale
struct Parameters {
  float scale = 1;
  int32_t zeroPoint = 0;
};

// Asymmetric: the range fills all values of u8 or i8. A range of nothing but zero has the scale 1.
Parameters parametersOf(const Observed &observed, DType type);

// Symmetric, a scale for each index of `axis`; the largest magnitude of it is 2^(bits - 1) - 1.
struct QuantisedWeights {
  Tensor values; // i8
  Tensor scales; // float32, one axis
};
QuantisedWeights quantiseWeights(const Tensor &weights, size_t axis, int bits);

// In units of the accumulator: bias / (scale * scales[i]), rounded half to even, saturated.
Tensor quantiseBias(const Tensor &bias, float scale, const Tensor &scales);

} // namespace tilerig::models
