// Sums of pairs of numbers, and how far one follows the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilerig::verify {

// A difference of sums that are all but equal is nothing but their rounding.
inline bool isSpread(double spread, double squares) { return spread > 0x1p-30 * squares; }

struct Moments {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(double first, double second) {
    n += 1, x += first, y += second;
    xx += first * first, yy += second * second, xy += first * second;
  }
  // Pearson's; nothing where one side does not vary.
  std::optional<double> correlation() const {
    const double ofX = n * xx - x * x, ofY = n * yy - y * y;
    if (n < 4 || !isSpread(ofX, n * xx) || !isSpread(ofY, n * yy))
      return {};
    return std::clamp((n * xy - x * y) / std::sqrt(ofX) / std::sqrt(ofY), -1.0, 1.0);
  }
};

} // namespace tilerig::verify
