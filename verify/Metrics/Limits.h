// What a comparison asks of every element: how small a value may be before it is left out, and how far from
// its reference one may lie.
#pragma once

#include <cstdint>

namespace tilerig::verify {

// What "large" means in an order of magnitude: the number that is divided by an element.
enum class Anchor : uint8_t { largest, secondLargest, rms };

// Whether the numbers stand for 8-bit integers: then a distance of a few steps between two of them is
// excused.
enum class EightBit : uint8_t { none, int8, uint8 };

// A lower limit would discard the largest element, and with it everything.
inline constexpr double leastOomLimit = 1;

struct Limits {
  double oom = 100;           // beyond this order of magnitude an element is discarded
  double relativePercent = 3; // up to this relative error it passes
  double bitOff = 1;          // as does, in eight bits, what lies no more steps away
  Anchor anchor = Anchor::largest;
  EightBit eightBit = EightBit::none;
};

// Steps between zero and the largest value.
constexpr double stepsOf(EightBit type) { return type == EightBit::uint8 ? 255 : 127; }

} // namespace tilerig::verify
