#include "compiler/Planning/Quantisation/Histogram.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace tilerig::compiler {

// binary logarithm of the number of histogram bins on each side of zero
static constexpr int binBits = 12;
static_assert(1 << binBits == Histogram::binsPerSide);

double Histogram::width() const { return std::ldexp(1.0, exponent); }

void Histogram::widenTo(int newExponent) {
  const int shift = std::min(newExponent - exponent, binBits);
  exponent = newExponent;
  std::vector<uint64_t> merged(counts.size());
  for (int k = 0; k < binsPerSide; ++k) {
    merged[static_cast<size_t>(binsPerSide + (k >> shift))] += counts[static_cast<size_t>(binsPerSide + k)];
    merged[static_cast<size_t>(binsPerSide - 1 - (k >> shift))] +=
        counts[static_cast<size_t>(binsPerSide - 1 - k)];
  }
  counts = std::move(merged);
}

// Writes the index of the histogram bin of each value to `places`. Values are divided by the bin width, a
// power of two, which is exact. They are then truncated towards zero, so that the bins of negative values
// mirror those of positive values.
static void placesOf(const float *values, size_t count, float binsPerUnit, uint32_t *places) {
  for (size_t i = 0; i < count; ++i) {
    const auto bin = static_cast<int32_t>(values[i] * binsPerUnit);
    places[i] = static_cast<uint32_t>(bin + Histogram::binsPerSide - (values[i] < 0));
  }
}

void Histogram::add(std::span<const float> values, float largest) {
  // As |x| < 2^(ilogb(x) + 1), bins of width 2^needed are wide enough that the 2^binBits bins on one side
  // reach beyond `largest`.
  if (largest > 0)
    if (const int needed = std::ilogb(largest) + 1 - binBits; needed > exponent)
      widenTo(needed);
  const float binsPerUnit = std::ldexp(1.0f, -exponent);
  std::array<uint32_t, 1024> places;
  while (!values.empty()) {
    const size_t count = std::min(values.size(), places.size());
    placesOf(values.data(), count, binsPerUnit, places.data());
    for (size_t i = 0; i < count; ++i) {
      assert(places[i] < counts.size());
      ++counts[places[i]];
    }
    values = values.subspan(count);
  }
}

void Histogram::merge(const Histogram &other) {
  Histogram aligned = other;
  const int common = std::max(exponent, other.exponent);
  if (aligned.exponent < common)
    aligned.widenTo(common);
  if (exponent < common)
    widenTo(common);
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] += aligned.counts[i];
}

} // namespace tilerig::compiler
