// Piecewise linear function from a layer's sums to its results, fitted to pairs of a sum and its result.
// Beyond the outermost pairs it is extrapolated with the slope of the outermost pieces.
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

  std::vector<Pair> knots; // means of the pairs of sum and result in each linear piece, by ascending sum
  // Table that speeds up the search for the linear piece in which a sum lies. It divides the range of the
  // sums into `numSteps` equal intervals, and has for each interval the knot at which the search starts.
  std::vector<size_t> firstKnot;
  float low = 0, perStep = 0;
  float slopeBelow = 0, slopeAbove = 0;
  double left = 0;
};

} // namespace tilerig::verify
