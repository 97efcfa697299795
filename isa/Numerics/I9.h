// The type i9: integers from -256 to 255 in a container of 16 bits. It is a superset of i8 and u8 for
// activations.
//
// On conversion to i8 or u8 a value either saturates or wraps. Wrapping keeps the low eight bits and loses
// the sign; the specification of the machine requires this where the clip flag is off.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

namespace tilerig {

struct I9 {
  static constexpr int32_t lowest = -256, highest = 255;

  int16_t value = 0;

  constexpr bool operator==(const I9 &) const = default;
};

constexpr bool isI9(int32_t value) { return I9::lowest <= value && value <= I9::highest; }
constexpr I9 saturateToI9(int32_t value) {
  return {static_cast<int16_t>(std::clamp(value, I9::lowest, I9::highest))};
}

// How a value outside the range of the narrower type is converted.
enum class Narrowing : uint8_t { saturate, wrap };

template <std::integral T>
requires(sizeof(T) <= 2) constexpr T narrow(int32_t value, Narrowing narrowing) {
  using Limits = std::numeric_limits<T>;
  if (narrowing == Narrowing::wrap)
    return static_cast<T>(static_cast<uint32_t>(value));
  return static_cast<T>(std::clamp<int32_t>(value, Limits::min(), Limits::max()));
}

} // namespace tilerig
