// Random numbers that depend only on a seed and on their purpose, so that resumed training draws the same
// numbers.
#pragma once

#include "isa/Base/Support/Hash.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tilerig::classifier {

class Chance {
public:
  explicit Chance(uint64_t seed) : state(seed) {}
  Chance of(uint64_t which) const { return Chance(combineHashes(state, which)); }

  uint64_t bits() { return combineHashes(state, count++); }
  double share() { return static_cast<double>(bits() >> 11) * 0x1p-53; } // in [0, 1)
  bool happens(double probability) { return share() < probability; }
  // A random number, approximately normally distributed, with mean 0 and standard deviation 1.
  double bell() {
    double sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += share();
    return sum - 6;
  }
  // A random permutation of 0 .. count - 1.
  std::vector<size_t> order(size_t count) {
    std::vector<size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    for (size_t i = count; i > 1; --i)
      std::swap(numbers[i - 1], numbers[bits() % i]);
    return numbers;
  }

private:
  uint64_t state, count = 0;
};

} // namespace tilerig::classifier
