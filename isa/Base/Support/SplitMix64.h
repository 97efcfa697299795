// SplitMix64: a small random generator whose numbers are the same on every machine and with every standard
// library (G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators, 2014).
#pragma once

#include <cstdint>

namespace tilerig {

class SplitMix64 {
public:
  // The amount by which the state grows for each number: 2^64 divided by the golden ratio.
  static constexpr uint64_t increment = 0x9E3779B97F4A7C15;

  explicit constexpr SplitMix64(uint64_t seed) : state(seed) {}

  constexpr uint64_t next() { return mixed(state += increment); }

  // The bijection that turns a state into a number. The n-th number of a seed is mixed(seed + n * increment).
  static constexpr uint64_t mixed(uint64_t state) {
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
    return state ^ (state >> 31);
  }

private:
  uint64_t state;
};

} // namespace tilerig
