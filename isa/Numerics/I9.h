// i9: integers of -256 ... 255 in a container of 16 bits, the superset of i8 and u8 that activations may
// take.
//
// Leaving for i8 or u8, a value is either clipped to the range or wrapped: the low eight bits pass and the
// sign is lost, which is the machine's documented behaviour where the clip flag is off.
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

// What happens to a value outside the narrower type.
enum class Narrowing : uint8_t { saturate, wrap };

template <std::integral T>
requires(sizeof(T) <= 2) constexpr T narrow(int32_t value, Narrowing narrowing) {
  using Limits = std::numeric_limits<T>;
  if (narrowing == Narrowing::wrap)
    return static_cast<T>(static_cast<uint32_t>(value));
  return static_cast<T>(std::clamp<int32_t>(value, Limits::min(), Limits::max()));
}

} // namespace tilerig
