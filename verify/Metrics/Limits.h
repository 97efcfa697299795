// Limits of a comparison: how small a value may be before it is discarded, and how far it may be from its
// reference.
#pragma once

#include <cstdint>

namespace tilerig::verify {

// Numerator of the order of magnitude, which is anchor / |element|.
enum class Anchor : uint8_t { largest, secondLargest, rms };

// Whether the numbers represent 8-bit integers; a difference of a few steps is then excused.
enum class EightBit : uint8_t { none, int8, uint8 };

// A lower limit would discard the largest element, and thus all elements.
inline constexpr double leastOomLimit = 1;

struct Limits {
  double oom = 100;           // elements beyond this order of magnitude are discarded
  double relativePercent = 3; // largest relative error that passes
  double bitOff = 1;          // in eight bits, largest number of steps off that passes
  Anchor anchor = Anchor::largest;
  EightBit eightBit = EightBit::none;
};

// Number of steps between zero and the largest value.
constexpr double stepsOf(EightBit type) { return type == EightBit::uint8 ? 255 : 127; }

} // namespace tilerig::verify
