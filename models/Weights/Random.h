// Random numbers that are specified to the bit and are the same on every processor, whatever its libraries.
//
// A stream is given by a seed and a name. Its n-th number is a function of the stream and n alone, so any
// thread can compute any part of it. Bits come from SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable
// pseudorandom number generators, 2014). A nearly normal number is the sum of eight uniform 16-bit integers:
// this avoids logarithm and cosine, which differ between C libraries. Its range ends at 4.9 standard
// deviations.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilerig::models {

// SplitMix64: the output function, and the increment of the state between consecutive numbers.
inline constexpr uint64_t splitMixStep = 0x9E3779B97F4A7C15;
constexpr uint64_t splitMix(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name) : key(splitMix(seed + splitMixStep)) {
    for (char letter : name)
      key = splitMix(key ^ static_cast<uint8_t>(letter)) + splitMixStep;
  }

  uint64_t bits(int64_t index) const { return splitMix(key + static_cast<uint64_t>(index) * splitMixStep); }
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
  // Twice a uniform 16-bit number has the variance (2^32 - 1) / 3, so the sum of eight has 8/3 (2^32 - 1).
  // This is one over the square root of that, rounded.
  static constexpr double bellScale = 0x1.3988e1412ed76p-17;

  static constexpr int64_t sumOfQuarters(uint64_t word) {
    return static_cast<int64_t>((word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) +
                                (word >> 48));
  }

  uint64_t key;
};

} // namespace tilerig::models
