// Rounding to integers of few bits, as every quantised operator does it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tilerig::reference {

// Rounded half to even (the default mode of nearbyint), moved by the zero point, and saturated. A NaN lands
// on the zero point, as the machine's page has it; ONNX leaves it open.
template <class Integer, class Float>
Integer roundToInteger(Float x, int32_t zeroPoint) {
  constexpr Float least = std::numeric_limits<Integer>::min(), greatest = std::numeric_limits<Integer>::max();
  Float low = least - static_cast<Float>(zeroPoint), high = greatest - static_cast<Float>(zeroPoint);
  Float clamped = x > low ? (x < high ? x : high) : x <= low ? low : 0;
  return static_cast<Integer>(static_cast<int32_t>(std::nearbyint(clamped)) + zeroPoint);
}

// From an exact 32-bit sum: one float product, then as above.
template <class Integer>
Integer requantise(int32_t sum, float scale, int32_t zeroPoint) {
  return roundToInteger<Integer>(static_cast<float>(sum) * scale, zeroPoint);
}

} // namespace tilerig::reference
