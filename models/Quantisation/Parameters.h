// Computes scales, zero points and quantised constants.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "models/Quantisation/Observe.h"

namespace tilerig::models {

// Affine quantisation: the integer q stands for the float (q - zeroPoint) * scale.
struct Parameters {
  float scale = 1;
  int32_t zeroPoint = 0;
};

// Parameters of asymmetric quantisation: the observed range maps to the full range of u8 or i8. A range that
// contains only zero has scale 1.
Parameters parametersOf(const Observed &observed, DType type);

// Symmetric quantisation with a scale per index of `axis`; the largest magnitude at each index maps to
// 2^(bits - 1) - 1.
struct QuantisedWeights {
  Tensor values; // i8
  Tensor scales; // float32, one-dimensional
};
QuantisedWeights quantiseWeights(const Tensor &weights, size_t axis, int bits);

// Quantises a bias in units of the accumulator: bias[i] / (scale * scales[i]), rounded half to even and
// saturated to int32. `scale` is that of the input, `scales` are those of the weights.
Tensor quantiseBias(const Tensor &bias, float scale, const Tensor &scales);

} // namespace tilerig::models
