// Random numbers for tests: small, fast, and the same on every host for the same seed, unlike the
// distributions of the standard library.
#pragma once

#include "isa/Base/Support/SplitMix64.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace tilerig::test {

class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;

  // A number in 0 .. count - 1. Small numbers are slightly more likely, which does not matter in tests.
  uint64_t below(uint64_t count) {
    assert(count > 0);
    return next() % count;
  }
  // A number in low .. high, both inclusive.
  int64_t between(int64_t low, int64_t high) {
    const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (span == UINT64_MAX ? next() : below(span + 1)));
  }
  // A number in 1 .. most. Every range from one power of two to the next is about equally likely, so small
  // numbers occur as often as large ones.
  uint64_t ragged(uint64_t most) {
    unsigned bits = 0;
    while (bits < 63 && most >> (bits + 1))
      ++bits;
    const uint64_t scale = uint64_t{1} << below(bits + 1);
    const uint64_t value = scale + below(scale);
    return value < most ? value : most;
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <class Range>
  auto pick(const Range &range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  template <class Range>
  void shuffle(Range &range) {
    for (size_t i = std::size(range); i > 1; --i)
      std::swap(range[i - 1], range[below(i)]);
  }
};

} // namespace tilerig::test
