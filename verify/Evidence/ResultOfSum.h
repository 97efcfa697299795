// Piecewise linear function from the sums that a layer computes to its results, fitted to pairs of a sum and
// a result. Beyond the outermost pairs, the function is extrapolated.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilerig::verify {

class ResultOfSum {
public:
  using Pair = std::pair<float, float>; // sum of products of an element, and the element's result

  // Fits the function with at most `mostPieces` pieces. Few pieces average out the rounding of results.
  ResultOfSum(std::vector<Pair> pairs, size_t mostPieces);

  float of(float sum) const;
  // The share of the variance of the results that the fitted function does not explain.
  double unexplained() const { return left; }

private:
  static constexpr size_t numSteps = 256;

  // the points that the function connects by straight lines, each the mean of some pairs, by ascending sum
  std::vector<Pair> knots;
  // Table that speeds up the evaluation of the function. It divides the range of the sums into `numSteps`
  // equal intervals. For each interval it has the knot (end of a straight line) at which the search for the
  // right line starts.
  std::vector<size_t> firstKnot;
  float low = 0, perStep = 0;
  float slopeBelow = 0, slopeAbove = 0;
  double left = 0;
};

} // namespace tilerig::verify
