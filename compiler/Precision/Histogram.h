// How often the values of a tensor fall where: any number of values, in any order.
//
// Bins lie mirrored about zero, as many on either side, all of one width, which is a power of two. A value
// beyond the last bin doubles the width until it fits. Edges are multiples of the width, so bins then merge
// in pairs and nothing is lost but resolution: the counts are those that the final width gives, whatever came
// in which order and in which portions.
//
// Bin k >= 0 holds [k * width, (k + 1) * width), and bin -1 - k its mirror image without zero,
// (-(k + 1) * width, -k * width]. Zero itself, of either sign, is in bin 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilerig {

class Histogram {
public:
  static constexpr int binsPerSide = 4096;

  // Finite values, none larger in size than `largest`.
  void add(std::span<const float> values, float largest);
  void merge(const Histogram &other);

  double width() const;
  // For bins from -binsPerSide to binsPerSide - 1.
  uint64_t count(int bin) const { return counts[static_cast<size_t>(bin + binsPerSide)]; }

  bool operator==(const Histogram &) const = default;

private:
  void widenTo(int newExponent);

  // Of width, from the least normal number on: what is smaller falls into the bins about zero.
  int exponent = -126;
  std::vector<uint64_t> counts = std::vector<uint64_t>(2 * binsPerSide);
};

} // namespace tilerig
