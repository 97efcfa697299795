// The range of values that quantisation represents; values outside are clamped to its ends.
#pragma once

#include <algorithm>
#include <span>

namespace tilerig::compiler {

// Ends of the range: low <= 0 <= high, both finite. Zero lies in the range, because it must be represented
// exactly: padding, ReLU outputs and sparse data consist of zeros.
struct ValueRange {
  float low = 0, high = 0;

  // The smallest range that contains the numbers a and b, and zero.
  static ValueRange containing(float a, float b) { return {std::min({a, b, 0.0f}), std::max({a, b, 0.0f})}; }
  bool operator==(const ValueRange &) const = default;
};

inline ValueRange unionOf(std::span<const ValueRange> ranges) {
  ValueRange all;
  for (const ValueRange &range : ranges)
    all = {std::min(all.low, range.low), std::max(all.high, range.high)};
  return all;
}

} // namespace tilerig::compiler
