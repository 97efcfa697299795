// Random numbers for samples, determined by the seed alone and thus equal on every host.
#pragma once

#include "isa/Base/Support/SplitMix64.h"

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace tilerig::verify {

class Draw : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;

  // A uniform random number in 0 ... count - 1. The modulo slightly favours small results, which is harmless
  // for samples.
  uint64_t below(uint64_t count) { return next() % count; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  template <class T>
  const T &pick(const std::vector<T> &values) {
    return values[below(values.size())];
  }
  template <class T>
  void shuffle(std::vector<T> &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }
};

// Derives the seed of a single random choice from a seed that several choices share.
constexpr uint64_t seedOf(uint64_t seed, uint64_t which) {
  return SplitMix64::mixed(SplitMix64::mixed(seed + SplitMix64::increment) ^ which) + SplitMix64::increment;
}

} // namespace tilerig::verify
