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

// Symmetric quantisation of weights. Each index along `axis` (usually an output channel) has its own scale,
// which maps the largest magnitude at this index to 2^(bits - 1) - 1.
struct QuantisedWeights {
  Tensor values; // i8
  Tensor scales; // float32, one-dimensional
};
QuantisedWeights quantiseWeights(const Tensor &weights, size_t axis, int bits);

// Quantises a bias to the scale of the sums of products to which it is added: bias[i] / (scale * scales[i]),
// rounded half to even and saturated to int32. `scale` belongs to the input, `scales` to the weights.
Tensor quantiseBias(const Tensor &bias, float scale, const Tensor &scales);

} // namespace tilerig::models
