// Scale and zero point of tensors of 8-bit integers, for operators on such tensors.
#pragma once

#include "reference/Ops/ExactProducts.h"
#include "reference/Ops/Quantise.h"

namespace tilerig::reference {

// Scale and zero point of a tensor.
struct Grid {
  float scale;
  int32_t zero;
  bool operator==(const Grid &) const = default;
};

// Refuses a node without input `index`, for operators whose optional inputs are followed by needed ones.
Status needInput(const OpContext &context, size_t index);

// The scale in input `scale` and the zero point in input `zero`, which must have type `type`. An absent zero
// point is 0.
Result<Grid> gridOf(const OpContext &context, size_t scale, size_t zero, DType type);

// Rounds half to even and saturates a number to which the zero point has already been added. A number from 2^31
// on, and a NaN, becomes the least integer, as x86 processors convert it to 32 bits.
template <class T>
T roundedWithZero(float x) {
  return x < 0x1p31f ? roundToInteger<T>(x, 0) : std::numeric_limits<T>::min();
}

template <class T>
float dequantised(T x, const Grid &grid) {
  return static_cast<float>(int32_t{x} - grid.zero) * grid.scale;
}
template <class T>
T quantised(float x, const Grid &grid) {
  return roundToInteger<T>(x / grid.scale, grid.zero);
}

// Calls f.template operator()<T>() with the type of an 8-bit tensor.
template <class F>
Status forEight(DType type, F f) {
  return type == DType::u8 ? f.template operator()<uint8_t>() : f.template operator()<int8_t>();
}

} // namespace tilerig::reference
