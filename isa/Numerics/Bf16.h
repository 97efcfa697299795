// The bf16 type as it is stored: the upper half of a float, with 1 sign, 8 exponent and 7 fraction bits.
//
// Conversion to float is exact. Conversion from float or double rounds once, to nearest even; subnormals are
// kept and overflow gives infinity. In both directions a NaN stays a NaN of the same sign: its topmost
// fraction bits are kept and the quiet bit is set. Convert.h converts whole spans.
#pragma once

#include <bit>
#include <cstdint>

namespace tilerig {

struct Bf16 {
  uint16_t bits = 0;

  // Equality compares the bits of two bf16 numbers, not their values.
  constexpr bool operator==(const Bf16 &) const = default;
};

constexpr float toFloat(Bf16 value) {
  const uint32_t quiet = (value.bits & 0x7fff) > 0x7f80 ? 0x00400000 : 0;
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16 | quiet);
}

constexpr Bf16 bf16FromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return {static_cast<uint16_t>(bits >> 16 | 0x0040)};
  // Rounds to nearest even: adds half a unit of the last kept bit, minus 1, plus 1 if that bit is set;
  // overflow carries into infinity.
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// Converts through a float that is rounded to odd: if any bit is lost, the last fraction bit is set. The
// second rounding can then still tell on which side of a tie the double lies.
constexpr Bf16 bf16FromDouble(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & 0x7fffffffffffffff;
  const uint32_t sign = static_cast<uint32_t>(bits >> 32 & 0x80000000);
  if (magnitude > 0x7ff0000000000000)
    return {static_cast<uint16_t>(sign >> 16 | 0x7fc0 | (magnitude >> 45 & 0x3f))};
  if (magnitude >= std::bit_cast<uint64_t>(0x1p128))
    return {static_cast<uint16_t>(sign >> 16 | 0x7f80)};
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < -150)
    return {static_cast<uint16_t>(sign >> 16)};
  const uint64_t fraction = (magnitude & 0x000fffffffffffff) | 0x0010000000000000;
  const bool normal = exponent >= -126;
  const int shift = normal ? 29 : 29 + (-126 - exponent);
  const bool lost = (fraction & ((uint64_t(1) << shift) - 1)) != 0;
  const uint64_t base = normal ? static_cast<uint64_t>(exponent + 126) << 23 : 0;
  const uint32_t odd = static_cast<uint32_t>(base + (fraction >> shift)) | lost;
  return bf16FromFloat(std::bit_cast<float>(sign | odd));
}

} // namespace tilerig
