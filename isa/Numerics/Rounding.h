// Rounding of real numbers to integers, and truncation of wide integers.
//
// All arithmetic of the project runs in the default mode of IEEE 754, round to nearest even; these functions
// neither read nor set the floating-point environment. A NaN becomes 0, and values out of range saturate.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace tilerig {

// How a real number is rounded: to nearest with ties to even or away from zero, toward zero, or down.
enum class Rounding : uint8_t { halfEven, halfAway, towardZero, down };

// Rounds to the nearest integer, ties to even, and keeps the sign of zero. The sum of x and 2^(digits - 1),
// where digits is the number of bits of the significand, has no bits left for a fraction; an x of that size
// or more has no fraction itself.
inline float roundHalfEven(float x) {
  const float size = std::fabs(x);
  return size < 0x1p23f ? std::copysign((size + 0x1p23f) - 0x1p23f, x) : x;
}
inline double roundHalfEven(double x) {
  const double size = std::fabs(x);
  return size < 0x1p52 ? std::copysign((size + 0x1p52) - 0x1p52, x) : x;
}

template <std::floating_point F>
F roundToIntegral(F x, Rounding rounding) {
  switch (rounding) {
  case Rounding::halfEven:
    return roundHalfEven(x);
  case Rounding::halfAway: {
    // `whole` is x without its fraction; both `whole` and x - whole are exactly representable
    const F whole = std::trunc(x);
    return std::fabs(x - whole) >= F(0.5) ? whole + std::copysign(F(1), x) : whole;
  }
  case Rounding::towardZero:
    return std::trunc(x);
  case Rounding::down:
    return std::floor(x);
  }
  return x;
}

// Converts a float whose value is a whole number to the integer type I with saturation; NaN becomes 0.
template <std::signed_integral I, std::floating_point F>
I saturateCast(F integral) {
  using Limits = std::numeric_limits<I>;
  // The highest value of the integer type I, plus 1.
  constexpr F beyond = static_cast<F>(uint64_t(1) << (Limits::digits - 1)) * 2;
  if (integral != integral)
    return 0;
  if (integral >= beyond)
    return Limits::max();
  return integral < -beyond ? Limits::min() : static_cast<I>(integral);
}

template <std::signed_integral I, std::floating_point F>
I roundTo(F x, Rounding rounding = Rounding::halfEven) {
  return saturateCast<I>(roundToIntegral(x, rounding));
}

// The low 32 bits of a value. Accumulators of the POD (matrix engine) that overflow wrap in this way.
constexpr int32_t wrapToInt32(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }
constexpr bool fitsInt32(int64_t value) { return value == wrapToInt32(value); }

} // namespace tilerig
