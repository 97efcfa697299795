// Sample positions and interpolation weights of a resize.
//
// Positions are exact fractions: output o lies at p / denominator with p = o * numerator + offset, between
// the elements i = floor(p / denominator) and i + 1. Only the fraction is rounded: f = fl32(fl64(remainder /
// denominator)). fl() and fl32() round to fp32, fl64() to double. All weights are fp32, and each operation is
// rounded once, in the order written here. Taps of weight 0 are skipped, so that an infinity next to an
// element with weight 1 does not turn the result into NaN. The other taps are combined in ascending order:
// acc = fl(w[0] * x[0]), then acc = fmaf(w[k], x[k], acc). Of two axes, columns are combined first, then
// rows.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilerig {

struct ResizePosition {
  // Index of the input element at or before the sample position; may lie outside the input.
  int64_t index;
  // Distance from the input element `index` towards the next one, 0 ... 1.
  float fraction;
};

// The sample position in the input for an output index. numerator * output + offset must fit in 63 bits; the
// denominator is positive and below 2^53.
constexpr ResizePosition resizePosition(int64_t output, int64_t numerator, int64_t offset,
                                        int64_t denominator) {
  const int64_t p = output * numerator + offset;
  const int64_t truncated = p % denominator;
  const int64_t remainder = truncated < 0 ? truncated + denominator : truncated;
  const double fraction = static_cast<double>(remainder) / static_cast<double>(denominator);
  return {(p - remainder) / denominator, static_cast<float>(fraction)};
}

// Interpolation weights of the input elements i and i + 1; the sample position lies `fraction` of the
// distance behind element i.
constexpr std::array<float, 2> linearWeights(float fraction) { return {1 - fraction, fraction}; }

// Interpolation weights of the input elements i - 1 ... i + 2 for a sample position that is f behind element
// i: the kernel of R. G. Keys ("Cubic convolution interpolation for digital image processing", 1981) with
// coefficient a, at distances 1 + f, f, 1 - f and 2 - f. At f = 0 the weights are set to 0, 1, 0, 0, because
// rounding errors of the formula could give small weights to the neighbours of element i.
constexpr std::array<float, 4> cubicWeights(float fraction, float a) {
  if (fraction == 0)
    return {0, 1, 0, 0};
  const auto near = [a](float t) { return (((a + 2) * t - (a + 3)) * t) * t + 1; };
  const auto far = [a](float t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(1 + fraction), near(fraction), near(1 - fraction), far(2 - fraction)};
}

// Clamps `index` to the indices of an axis, 0 ... length - 1.
constexpr int64_t clampedIndex(int64_t index, int64_t length) {
  return index < 0 ? 0 : index >= length ? length - 1 : index;
}

inline float combineTaps(std::span<const float> weights, std::span<const float> taps) {
  assert(!weights.empty() && weights.size() == taps.size());
  float acc = -0.0f; // adding the first product to -0 keeps the product's sign, even if the product is 0
  for (size_t k = 0; k < weights.size(); ++k)
    if (weights[k] != 0)
      acc = std::fma(weights[k], taps[k], acc);
  return acc;
}

} // namespace tilerig
