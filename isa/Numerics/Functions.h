// Mathematical functions of floats with results that are bit-identical on every machine.
//
// No value comes from the C library: each function is a formula of IEEE operations (README.md lists all of
// them), evaluated in double and rounded to fp32 once. The error is therefore little more than half a unit in
// the last place. The overloads for spans use the widest vectors of the CPU and give the same bits as the
// scalar ones. The spans of one call have equal lengths; the output may be the input.
#pragma once

#include "isa/Numerics/MathFunction.h"

#include <cmath>
#include <concepts>
#include <span>

namespace tilerig {

float evaluate(MathFunction function, float x, float alpha = 0, float beta = 0);
void evaluate(MathFunction function, std::span<const float> x, std::span<float> out, float alpha = 0,
              float beta = 0);

// pow of IEEE 754 (C's pow): if the exact result is representable, it is returned; ties round to even.
float power(float x, float y);
void power(std::span<const float> x, std::span<const float> y, std::span<float> out);
void power(std::span<const float> x, float y, std::span<float> out);

// The numerators of a softmax: exp(x - maximum), computed in double and rounded to fp32.
float expDifference(float x, float maximum);
void expDifference(std::span<const float> x, float maximum, std::span<float> out);

// The remainder of a division that has the sign of the dividend: C's fmod, which is exact.
inline float truncatedRemainder(float a, float b) {
  const float r = std::fmod(a, b);
  return r != r ? __builtin_nanf("") : r;
}
// The remainder of a division, with the sign of the divisor. If the exact remainder has the other sign, the
// divisor is added to it in one fp32 addition.
inline float flooredRemainder(float a, float b) {
  const float r = truncatedRemainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// truncatedRemainder and flooredRemainder for integers. A division by 0 has the remainder 0, and so has the
// division of the lowest integer by -1.
template <std::integral T>
constexpr T truncatedRemainder(T a, T b) {
  if (b == 0 || b == static_cast<T>(-1))
    return b == 0 || std::signed_integral<T> ? T(0) : static_cast<T>(a % b);
  return static_cast<T>(a % b);
}
template <std::integral T>
constexpr T flooredRemainder(T a, T b) {
  const T r = truncatedRemainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

} // namespace tilerig
