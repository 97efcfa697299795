// Histogram of the values of a tensor. Any number of values can be added, in any order.
//
// All bins have the same width, which is a power of two, and there are equally many on both sides of zero. If
// a value lies beyond the last bin, the width is doubled until the value fits. Since the edges are multiples
// of the width, this merges bins in pairs, and loses nothing but resolution. So the counts depend on the
// final width, but neither on the order of the values nor on the portions in which they were added.
//
// Bin k >= 0 holds [k * width, (k + 1) * width), and bin -1 - k its mirror image without zero, (-(k + 1) *
// width, -k * width]. Zero itself, of either sign, is in bin 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilerig::compiler {

class Histogram {
public:
  static constexpr int binsPerSide = 4096;

  // Adds finite values; none may have a magnitude above `largest`.
  void add(std::span<const float> values, float largest);
  void merge(const Histogram &other);

  double width() const;
  // The number of values in the bin with index `bin`, which is from -binsPerSide to binsPerSide - 1.
  uint64_t count(int bin) const { return counts[static_cast<size_t>(bin + binsPerSide)]; }

  bool operator==(const Histogram &) const = default;

private:
  void widenTo(int newExponent);

  // Binary logarithm of the bin width. The first width is the smallest normal number; smaller values fall
  // into the bins next to zero.
  int exponent = -126;
  std::vector<uint64_t> counts = std::vector<uint64_t>(2 * binsPerSide);
};

} // namespace tilerig::compiler
