// Sums over pairs of numbers (first and second moments), and the Pearson correlation of the pairs.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilerig::verify {

// Whether a variance, computed as a difference of nearly equal sums, is more than the rounding error of these
// sums.
inline bool isSpread(double spread, double squares) { return spread > 0x1p-30 * squares; }

struct Moments {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(double first, double second) {
    n += 1, x += first, y += second;
    xx += first * first, yy += second * second, xy += first * second;
  }
  // Pearson correlation of the two numbers of a pair, over all pairs; empty if one of them is constant, or
  // with fewer than four pairs.
  std::optional<double> correlation() const {
    const double ofX = n * xx - x * x, ofY = n * yy - y * y;
    if (n < 4 || !isSpread(ofX, n * xx) || !isSpread(ofY, n * yy))
      return {};
    return std::clamp((n * xy - x * y) / std::sqrt(ofX) / std::sqrt(ofY), -1.0, 1.0);
  }
};

} // namespace tilerig::verify
