// What a layer makes of its sums, read off pairs of both: piece by piece a line, and beyond the last sums the
// line of the outermost pieces.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilerig::verify {

class ResultOfSum {
public:
  using Pair = std::pair<float, float>; // sum, result

  // In at most so many pieces: few where results are rounded.
  ResultOfSum(std::vector<Pair> pairs, size_t mostPieces);

  float of(float sum) const;
  // The share of the results' variance that the function leaves.
  double unexplained() const { return left; }

private:
  static constexpr size_t numSteps = 256;

  std::vector<Pair> knots;       // means of pieces, ascending
  std::vector<size_t> firstKnot; // of the first that may lie behind a place, by even steps between the ends
  float low = 0, perStep = 0;
  float slopeBelow = 0, slopeAbove = 0;
  double left = 0;
};

} // namespace tilerig::verify
