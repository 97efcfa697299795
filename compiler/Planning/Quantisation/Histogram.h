// Histogram of the values of a tensor that grows with the data: any number of values, in any order.
//
// Bins are mirrored about zero, equally many on either side, and have one width, a power of two. A value
// beyond the last bin doubles the width until it fits; since edges are multiples of the width, this merges
// bins in pairs and loses only resolution. So the counts depend on the final width, but not on the order of
// the values or on how they were split into portions.
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

  // Binary logarithm of the bin width. At first it is that of the smallest normal number; smaller values fall
  // into the bins next to zero.
  int exponent = -126;
  std::vector<uint64_t> counts = std::vector<uint64_t>(2 * binsPerSide);
};

} // namespace tilerig::compiler
