// Random numbers whose every bit is stated here: the same on every processor, whatever its libraries.
//
// A stream is a seed and a name; its n-th number is a function of the stream and n alone, so that any part of
// it can be made by any thread. Bits come from SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable
// pseudorandom number generators, 2014). A bell is the sum of eight uniform numbers of 16 bits, an integer:
// no logarithm or cosine, of which every C library has its own. It ends at 4.9 standard deviations.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilerig::models {

class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name) : key(mixed(seed + step)) {
    for (char letter : name)
      key = mixed(key ^ static_cast<uint8_t>(letter)) + step;
  }

  uint64_t bits(int64_t index) const { return mixed(key + static_cast<uint64_t>(index) * step); }
  // In [-1, 1), a multiple of 2^-52.
  double uniform(int64_t index) const {
    return static_cast<double>(static_cast<int64_t>(bits(index)) >> 11) * 0x1p-52;
  }
  // Of mean 0 and standard deviation 1.
  double bell(int64_t index) const {
    int64_t sum = sumOfQuarters(bits(2 * index)) + sumOfQuarters(bits(2 * index + 1));
    return static_cast<double>(2 * sum - 8 * 0xFFFF) * bellScale;
  }

private:
  static constexpr uint64_t step = 0x9E3779B97F4A7C15;
  // Twice a uniform number of 16 bits has the variance (2^32 - 1) / 3: eight have 8/3 of it. This is one over
  // the root of that, rounded.
  static constexpr double bellScale = 0x1.3988e1412ed76p-17;

  static constexpr uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  static constexpr int64_t sumOfQuarters(uint64_t word) {
    return static_cast<int64_t>((word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) +
                                (word >> 48));
  }

  uint64_t key;
};

} // namespace tilerig::models
