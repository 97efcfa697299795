// Piecewise linear function from a layer's sums to its results, fitted to pairs of both; beyond the outermost
// pairs it is extrapolated with the slope of the outermost pieces.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilerig::verify {

class ResultOfSum {
public:
  using Pair = std::pair<float, float>; // sum, result

  // Fits at most `mostPieces` pieces; use few if results are rounded.
  ResultOfSum(std::vector<Pair> pairs, size_t mostPieces);

  float of(float sum) const;
  // The share of the results' variance that the function does not explain.
  double unexplained() const { return left; }

private:
  static constexpr size_t numSteps = 256;

  std::vector<Pair> knots;       // means of the pieces, ascending
  std::vector<size_t> firstKnot; // acceleration table: first knot to try, for even steps of the sum
  float low = 0, perStep = 0;
  float slopeBelow = 0, slopeAbove = 0;
  double left = 0;
};

} // namespace tilerig::verify
