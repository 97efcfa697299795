// Random damage to a byte string, the same for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig::fuzz {

using Bytes = std::vector<uint8_t>;

// SplitMix64: enough randomness for damage, and a whole run is named by two numbers.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t word = state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
  }
  // A number in [0, bound); 0 when there is none.
  size_t below(size_t bound) { return bound ? static_cast<size_t>(next() % bound) : 0; }

private:
  uint64_t state;
};

// One of the corpus (which may be empty), changed in one to fifteen places, at most `limit` bytes long.
Bytes mutate(const std::vector<Bytes> &corpus, Random &random, size_t limit);

} // namespace tilerig::fuzz
