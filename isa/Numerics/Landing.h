// Conversion of a real number, already divided by the scale, to a stored integer: the last steps of every
// quantising operation.
//
//   q = rounded(real) + zeroPoint, clamped to low ... high, then narrowed to the stored type
//
// A NaN rounds to 0, so it becomes the zero point. The bounds may be wider than the stored type: values
// outside the type then saturate or wrap. (i9 activations are narrowed to i8 or u8 in this way, with bounds
// -256 ... 255.)
#pragma once

#include "isa/Numerics/I9.h"
#include "isa/Numerics/Rounding.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

namespace tilerig {

template <class T>
concept QuantisedStorage = std::same_as<T, int8_t> || std::same_as<T, uint8_t> || std::same_as<T, I9>;

template <QuantisedStorage T>
struct StorageRange {
  static constexpr int32_t lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
};
template <>
struct StorageRange<I9> {
  static constexpr int32_t lowest = I9::lowest, highest = I9::highest;
};

struct Landing {
  int32_t zeroPoint = 0;
  int32_t low = I9::lowest, high = I9::highest;
  Rounding rounding = Rounding::halfEven;
  Narrowing narrowing = Narrowing::saturate;

  // The parameters for quantising to the stored integer type T, with the whole range of T as bounds.
  template <QuantisedStorage T>
  static constexpr Landing of(int32_t zeroPoint) {
    return {zeroPoint, StorageRange<T>::lowest, StorageRange<T>::highest};
  }
  // Whether zero point and bounds are 9-bit integers and the bounds are in order. Every function that takes a
  // Landing requires this. Nine bits suffice for the bounds of any stored type.
  constexpr bool isValid() const { return isI9(zeroPoint) && isI9(low) && isI9(high) && low <= high; }
};

inline int32_t land(float real, const Landing &landing) {
  const int64_t q = int64_t(roundTo<int32_t>(real, landing.rounding)) + landing.zeroPoint;
  return static_cast<int32_t>(std::clamp<int64_t>(q, landing.low, landing.high));
}

constexpr int32_t integerOf(int8_t stored) { return stored; }
constexpr int32_t integerOf(uint8_t stored) { return stored; }
constexpr int32_t integerOf(I9 stored) { return stored.value; }

template <QuantisedStorage T>
constexpr T storedAs(int32_t q, Narrowing narrowing) {
  if constexpr (std::same_as<T, I9>)
    return saturateToI9(q);
  else
    return narrow<T>(q, narrowing);
}
template <QuantisedStorage T>
T land(float real, const Landing &landing) {
  return storedAs<T>(land(real, landing), landing.narrowing);
}

} // namespace tilerig
