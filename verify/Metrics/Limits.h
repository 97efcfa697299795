// Limits of a comparison: below which size a value is discarded, and how far it may be from its reference.
#pragma once

#include <cstdint>

namespace tilerig::verify {

// The number that is divided by an element's magnitude to get the element's order of magnitude, anchor /
// |element|.
enum class Anchor : uint8_t { largest, secondLargest, rms };

// The 8-bit type that the numbers represent, if any. Elements of such a type pass if they are a few steps
// off.
enum class EightBit : uint8_t { none, int8, uint8 };

// The lowest permitted limit of the order of magnitude: a lower limit would discard the largest element, and
// so all elements.
inline constexpr double leastOomLimit = 1;

struct Limits {
  double oom = 100;           // elements that are smaller than the anchor / oom are not compared
  double relativePercent = 3; // largest accepted relative error; elements beyond it fail
  double bitOff = 1;          // 8-bit integers pass if they are off by at most this many steps
  Anchor anchor = Anchor::largest;
  EightBit eightBit = EightBit::none;
};

// Number of 8-bit steps between zero and the largest value of the type.
constexpr double stepsOf(EightBit type) { return type == EightBit::uint8 ? 255 : 127; }

} // namespace tilerig::verify
