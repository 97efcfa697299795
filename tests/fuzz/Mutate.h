// Random mutations of a byte string, the same for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig::fuzz {

using Bytes = std::vector<uint8_t>;

// SplitMix64: random enough for mutations, and a whole run is identified by two numbers.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t word = state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
  }
  // A number in [0, bound), or 0 if bound is 0.
  size_t below(size_t bound) { return bound ? static_cast<size_t>(next() % bound) : 0; }

private:
  uint64_t state;
};

// A random element of the corpus (which may be empty) with one to fifteen mutations, at most `limit` bytes
// long.
Bytes mutate(const std::vector<Bytes> &corpus, Random &random, size_t limit);

} // namespace tilerig::fuzz
