// From int32 accumulators to stored integers.
//
//   q = land(fl(fl(acc) * scale))     fl(acc) rounds to fp32 half to even; one fp32 multiplication
//
// with scale = fl(fl(inputScale * weightScale) / outputScale) for convolutions and matrix products, and
// averageFactor for averages over n elements, whose sums are accumulators too. A scale that is NaN or
// infinite does what the formula says: NaN lands on the zero point, infinities on the bounds.
#pragma once

#include "isa/Numerics/Landing.h"

#include <span>

namespace tilerig {

inline float requantisationScale(float inputScale, float weightScale, float outputScale) {
  return inputScale * weightScale / outputScale;
}
// fl(inputScale / fl(outputScale * n)); n is rounded to fp32 first, exact up to 2^24.
inline float averageFactor(float inputScale, float outputScale, uint32_t n) {
  return inputScale / (outputScale * static_cast<float>(n));
}

template <QuantisedStorage T>
T requantise(int32_t acc, float scale, const Landing &landing) {
  return land<T>(static_cast<float>(acc) * scale, landing);
}

// T is int8_t, uint8_t or I9. Sizes agree.
template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, float scale, const Landing &landing, std::span<T> out);
// Channels fastest: scales[c] serves acc[i] where c = i mod scales.size(), which divides the number of
// accumulators.
template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, std::span<const float> scales, const Landing &landing,
                std::span<T> out);

} // namespace tilerig
