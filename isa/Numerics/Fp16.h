// The fp16 type (IEEE 754 binary16) as it is stored: 1 sign, 5 exponent and 10 fraction bits.
//
// Conversion to float is exact. Conversion from float or double rounds once, to nearest even; subnormals are
// kept, and magnitudes from 65520 on give infinity. In both directions a NaN stays a NaN of the same sign:
// its topmost fraction bits are kept and the quiet bit is set. Convert.h converts whole spans.
#pragma once

#include <bit>
#include <cstdint>

namespace tilerig {

struct Fp16 {
  uint16_t bits = 0;

  // Equality compares the bits of two fp16 numbers, not their values.
  constexpr bool operator==(const Fp16 &) const = default;
};

constexpr float toFloat(Fp16 half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000) << 16;
  const uint32_t magnitude = half.bits & 0x7fff;
  if (magnitude > 0x7c00)
    return std::bit_cast<float>(sign | 0x7fc00000 | magnitude << 13);
  if (magnitude == 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000);
  if (magnitude < 0x0400) // the fp16 number is subnormal or zero: an integer multiple of 2^-24
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f));
  return std::bit_cast<float>(sign | ((magnitude << 13) + (uint32_t(127 - 15) << 23)));
}

// Rounds a double to fp16. A float is converted by this function too, because widening it to double is exact.
constexpr Fp16 fp16FromDouble(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  const uint64_t magnitude = bits & 0x7fffffffffffffff;
  constexpr uint64_t infinity = 0x7ff0000000000000, overflow = std::bit_cast<uint64_t>(65520.0);
  if (magnitude > infinity)
    return {static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 42 & 0x01ff))};
  if (magnitude >= overflow)
    return {static_cast<uint16_t>(sign | 0x7c00)};
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < -25)
    return {sign};
  // The fraction with its leading 1; it is shifted right until its lowest bit is the last bit of the result.
  const uint64_t fraction = (magnitude & 0x000fffffffffffff) | 0x0010000000000000;
  const bool normal = exponent >= -14;
  const int shift = normal ? 42 : 42 + (-14 - exponent);
  const uint64_t half = (uint64_t(1) << (shift - 1)) - 1 + (fraction >> shift & 1);
  const uint64_t rounded = (fraction + half) >> shift;
  // A carry out of the fraction correctly increments the exponent.
  const uint64_t base = normal ? static_cast<uint64_t>(exponent + 14) << 10 : 0;
  return {static_cast<uint16_t>(sign | (base + rounded))};
}
constexpr Fp16 fp16FromFloat(float value) {
  // A NaN is converted from its own bits, because a compiler may or may not quiet it when widening.
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return {static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x01ff))};
  return fp16FromDouble(value);
}

} // namespace tilerig
