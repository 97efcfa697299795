#include "verify/Evidence/ResultOfSum.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

using Pair = ResultOfSum::Pair;

float slopeOf(const Pair &first, const Pair &second) {
  return second.first > first.first ? (second.second - first.second) / (second.first - first.first) : 0;
}

} // namespace

// Each knot (end of a linear piece) is the mean of a group of (sum, result) pairs. All groups have about the
// same size, so that knots are dense where sums are frequent.
ResultOfSum::ResultOfSum(std::vector<Pair> pairs, size_t mostPieces) {
  std::ranges::sort(pairs);
  const size_t pieces = std::min(mostPieces, pairs.size());
  for (size_t i = 0; i < pieces; ++i) {
    double sum = 0, result = 0;
    const size_t begin = i * pairs.size() / pieces, end = (i + 1) * pairs.size() / pieces;
    for (size_t at = begin; at < end; ++at)
      sum += static_cast<double>(pairs[at].first), result += static_cast<double>(pairs[at].second);
    const double count = static_cast<double>(end - begin);
    knots.emplace_back(static_cast<float>(sum / count), static_cast<float>(result / count));
  }
  if (knots.size() < 2)
    return;
  // The slope beyond each end of the piecewise linear function is measured over an eighth of its knots,
  // because rounding disturbs single knots.
  const size_t outer = std::max<size_t>(knots.size() / 8, 1);
  slopeBelow = slopeOf(knots.front(), knots[outer]);
  slopeAbove = slopeOf(knots[knots.size() - 1 - outer], knots.back());
  low = knots.front().first;
  const float range = knots.back().first - low;
  perStep = range > 0 ? static_cast<float>(numSteps) / range : 0;
  for (size_t step = 0, knot = 1; step <= numSteps; ++step) {
    const float at = low + static_cast<float>(step) * range / static_cast<float>(numSteps);
    while (knot + 1 < knots.size() && knots[knot].first < at)
      ++knot;
    firstKnot.push_back(std::max<size_t>(knot, 2) - 1);
  }
  double mean = 0, squares = 0, errors = 0;
  for (const auto &[sum, result] : pairs)
    mean += static_cast<double>(result) / static_cast<double>(pairs.size());
  for (const auto &[sum, result] : pairs) {
    const double spread = static_cast<double>(result) - mean, error = static_cast<double>(result - of(sum));
    squares += spread * spread;
    errors += error * error;
  }
  left = squares > 0 ? errors / squares : 0;
}

float ResultOfSum::of(float sum) const {
  if (knots.size() < 2)
    return knots.empty() ? 0 : knots.front().second;
  if (sum <= knots.front().first)
    return knots.front().second + slopeBelow * (sum - knots.front().first);
  if (!(sum < knots.back().first))
    return knots.back().second + slopeAbove * (sum - knots.back().first);
  size_t knot = firstKnot[std::min(static_cast<size_t>((sum - low) * perStep), numSteps)];
  while (knots[knot].first < sum)
    ++knot;
  const Pair &from = knots[knot - 1];
  return from.second + slopeOf(from, knots[knot]) * (sum - from.first);
}

} // namespace tilerig::verify
