#include "models/Quantisation/Parameters.h"

#include <algorithm>
#include <cmath>

namespace tilerig::models {

Parameters parametersOf(const Observed &observed, DType type) {
  const int32_t lowest = type == DType::i8 ? -128 : 0;
  const float width = observed.high - observed.low;
  if (width == 0)
    return {1, lowest};
  Parameters result;
  result.scale = width / 255;
  result.zeroPoint =
      lowest + std::clamp(static_cast<int32_t>(std::nearbyint(-observed.low / result.scale)), 0, 255);
  return result;
}

QuantisedWeights quantiseWeights(const Tensor &weights, size_t axis, int bits) {
  const auto from = weights.as<float>();
  const auto channels = static_cast<size_t>(weights.shape()[axis]);
  const auto stride = static_cast<size_t>(weights.strides()[axis]);
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  QuantisedWeights result{Tensor(DType::i8, weights.shape()), Tensor(DType::f32, {weights.shape()[axis]})};
  const auto scales = result.scales.mutableAs<float>();
  for (size_t i = 0; i < from.size(); ++i) {
    float &largest = scales[i / stride % channels];
    largest = std::max(largest, std::abs(from[i]));
  }
  for (float &scale : scales)
    scale = scale == 0 ? 1 : scale / most;
  const auto to = result.values.mutableAs<int8_t>();
  for (size_t i = 0; i < from.size(); ++i)
    to[i] =
        static_cast<int8_t>(std::clamp(std::nearbyint(from[i] / scales[i / stride % channels]), -most, most));
  return result;
}

Tensor quantiseBias(const Tensor &bias, float scale, const Tensor &scales) {
  Tensor result(DType::i32, bias.shape());
  const auto from = bias.as<float>(), by = scales.as<float>();
  const auto to = result.mutableAs<int32_t>();
  for (size_t i = 0; i < from.size(); ++i) {
    const double units = std::nearbyint(static_cast<double>(from[i]) / (scale * by[i]));
    to[i] = static_cast<int32_t>(std::clamp(units, double{INT32_MIN}, double{INT32_MAX}));
  }
  return result;
}

} // namespace tilerig::models
