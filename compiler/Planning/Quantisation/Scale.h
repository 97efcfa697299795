// Computes quantisation scales: the quotient in double, rounded to fp32, and at least the smallest normal
// number, as subnormal scales would lose precision.
#pragma once

#include <algorithm>
#include <limits>

namespace tilerig::compiler {

inline constexpr float leastScale = std::numeric_limits<float>::min();

inline float scaleOf(double extent, int steps) {
  return std::max(static_cast<float>(extent / steps), leastScale);
}

} // namespace tilerig::compiler
