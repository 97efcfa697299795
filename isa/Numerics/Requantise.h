// Requantisation of int32 accumulators to stored integers.
//
//   q = land(fl(fl(acc) * scale))     one fp32 multiplication
//
// fl() is one rounding to fp32, half to even. land() rounds to an integer, adds the zero point, clamps to the
// bounds, and narrows to the stored type (Landing.h).
//
// Here scale = fl(fl(inputScale * weightScale) / outputScale) for convolutions and matrix products, and
// averageFactor for averages over n elements, whose sums are accumulators too. For a scale that is NaN or
// infinite the formula is applied unchanged: NaN becomes the zero point, infinities become the bounds.
#pragma once

#include "isa/Numerics/Landing.h"

#include <span>

namespace tilerig {

inline float requantisationScale(float inputScale, float weightScale, float outputScale) {
  return inputScale * weightScale / outputScale;
}
// The factor by which the sum of n elements is multiplied to give their average in the scale of the output:
// fl(inputScale / fl(outputScale * n)). n is rounded to fp32 first, exact up to 2^24.
inline float averageFactor(float inputScale, float outputScale, uint32_t n) {
  return inputScale / (outputScale * static_cast<float>(n));
}

template <QuantisedStorage T>
T requantise(int32_t acc, float scale, const Landing &landing) {
  return land<T>(static_cast<float>(acc) * scale, landing);
}

// Requantises a span of accumulators with one scale. T is int8_t, uint8_t or I9; both spans have the same
// size.
template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, float scale, const Landing &landing, std::span<T> out);
// Requantises a span with per-channel scales, channels innermost: scales[i mod scales.size()] applies to
// acc[i]. The number of scales divides the number of accumulators.
template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, std::span<const float> scales, const Landing &landing,
                std::span<T> out);

} // namespace tilerig
