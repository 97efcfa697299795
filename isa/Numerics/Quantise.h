// Quantisation of floats, dequantisation, and rescaling: QuantizeLinear, DequantizeLinear, and conversion
// from one scale to another.
//
//   quantise    q = land(fl(x / scale))               one fp32 division
//   dequantise  x = fl(fl(q - zeroPoint) * scale)     the difference is exact, one fp32 multiplication
//   rescale     quantise(dequantise(q))
//
// fl() is one rounding to fp32. land() rounds to an integer, adds the zero point, clamps to the bounds, and
// narrows to the stored type (Landing.h).
//
// Scales should be positive and finite; for other scales the formulas are applied unchanged. The overloads
// for spans give the same bits as the scalar ones. The spans of one call have equal lengths. Every Landing
// must be valid.
#pragma once

#include "isa/Numerics/Landing.h"

#include <span>

namespace tilerig {

template <QuantisedStorage T>
T quantise(float x, float scale, const Landing &landing) {
  return land<T>(x / scale, landing);
}
inline float dequantise(int32_t q, float scale, int32_t zeroPoint) {
  return static_cast<float>(q - zeroPoint) * scale;
}
template <QuantisedStorage T>
float dequantise(T q, float scale, int32_t zeroPoint) {
  return dequantise(integerOf(q), scale, zeroPoint);
}
template <QuantisedStorage To, QuantisedStorage From>
To rescale(From q, float fromScale, int32_t fromZeroPoint, float toScale, const Landing &landing) {
  return quantise<To>(dequantise(q, fromScale, fromZeroPoint), toScale, landing);
}

// Quantises a span of floats to the stored type T: int8_t, uint8_t or I9.
template <QuantisedStorage T>
void quantise(std::span<const float> x, float scale, const Landing &landing, std::span<T> out);
template <QuantisedStorage T>
void dequantise(std::span<const T> q, float scale, int32_t zeroPoint, std::span<float> out);

// Converts i9 to int8_t or uint8_t without a change of scale, as DMA does.
template <QuantisedStorage To>
void narrow(std::span<const I9> in, Narrowing narrowing, std::span<To> out);

} // namespace tilerig
