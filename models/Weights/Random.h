// Random numbers that are specified to the bit and are the same on every processor, whatever its libraries.
//
// A stream is given by a seed and a name. Its n-th number is a function of the stream and n alone, so any
// thread can compute any part of it. Bits come from SplitMix64. A nearly normal number is the sum of eight
// uniform 16-bit integers: this avoids logarithm and cosine, which differ between C libraries. Its range ends
// at 4.9 standard deviations.
#pragma once

#include "isa/Base/Support/SplitMix64.h"

#include <cstdint>
#include <string_view>

namespace tilerig::models {

class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name) : key(SplitMix64::mixed(seed + SplitMix64::increment)) {
    for (char letter : name)
      key = SplitMix64::mixed(key ^ static_cast<uint8_t>(letter)) + SplitMix64::increment;
  }

  uint64_t bits(int64_t index) const {
    return SplitMix64::mixed(key + static_cast<uint64_t>(index) * SplitMix64::increment);
  }
  // A uniform number in [-1, 1), a multiple of 2^-52.
  double uniform(int64_t index) const {
    return static_cast<double>(static_cast<int64_t>(bits(index)) >> 11) * 0x1p-52;
  }
  // A nearly normal number with mean 0 and standard deviation 1.
  double bell(int64_t index) const {
    int64_t sum = sumOfQuarters(bits(2 * index)) + sumOfQuarters(bits(2 * index + 1));
    return static_cast<double>(2 * sum - 8 * 0xFFFF) * bellScale;
  }

private:
  // One over the standard deviation of twice the sum of eight uniform 16-bit numbers, rounded. Twice such a
  // number has the variance (2^32 - 1) / 3, so the sum of eight has 8/3 (2^32 - 1).
  static constexpr double bellScale = 0x1.3988e1412ed76p-17;

  static constexpr int64_t sumOfQuarters(uint64_t word) {
    return static_cast<int64_t>((word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) +
                                (word >> 48));
  }

  uint64_t key;
};

} // namespace tilerig::models
