// Random mutations of a byte string, the same for the same seed on every machine.
#pragma once

#include "isa/Base/Support/SplitMix64.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig::fuzz {

using Bytes = std::vector<uint8_t>;

class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;

  // A random number in [0, bound), or 0 if bound is 0.
  size_t below(size_t bound) { return bound ? static_cast<size_t>(next() % bound) : 0; }
};

// A random element of the corpus (which may be empty) with one to fifteen mutations, at most `limit` bytes
// long.
Bytes mutate(const std::vector<Bytes> &corpus, Random &random, size_t limit);

} // namespace tilerig::fuzz
