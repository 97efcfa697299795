// The part of the number line that quantisation keeps: what lies outside is clipped to its ends.
#pragma once

#include <algorithm>
#include <span>

namespace tilerig {

// low <= 0 <= high, both finite: zero must be exact, as padding, ReLU and most of all sparse data are made of
// it.
struct ValueRange {
  float low = 0, high = 0;

  // The least range with both numbers in it, and zero.
  static ValueRange containing(float a, float b) { return {std::min({a, b, 0.0f}), std::max({a, b, 0.0f})}; }
  bool operator==(const ValueRange &) const = default;
};

inline ValueRange unionOf(std::span<const ValueRange> ranges) {
  ValueRange all;
  for (const ValueRange &range : ranges)
    all = {std::min(all.low, range.low), std::max(all.high, range.high)};
  return all;
}

} // namespace tilerig
