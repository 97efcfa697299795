// Rounds floats to 8-bit and other small integers, as all quantised operators do.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tilerig::reference {

// Rounds half to even (the default mode of nearbyint), adds the zero point, and saturates. A NaN becomes the
// zero point, as isa/Numerics/README.md specifies; ONNX leaves this open.
template <class Integer, class Float>
Integer roundToInteger(Float x, int32_t zeroPoint) {
  constexpr Float least = std::numeric_limits<Integer>::min(), greatest = std::numeric_limits<Integer>::max();
  Float low = least - static_cast<Float>(zeroPoint), high = greatest - static_cast<Float>(zeroPoint);
  Float clamped = x > low ? (x < high ? x : high) : x <= low ? low : 0;
  return static_cast<Integer>(static_cast<int32_t>(std::nearbyint(clamped)) + zeroPoint);
}

// Scales an exact 32-bit sum by one float multiplication, then rounds it by roundToInteger.
template <class Integer>
Integer requantise(int32_t sum, float scale, int32_t zeroPoint) {
  return roundToInteger<Integer>(static_cast<float>(sum) * scale, zeroPoint);
}

} // namespace tilerig::reference
