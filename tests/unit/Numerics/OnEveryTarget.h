// Helpers for tests of Numerics: a loop over all SIMD instruction sets, floats from bit patterns, random
// numbers.
#pragma once

#include "isa/Base/Support/SplitMix64.h"
#include "isa/Numerics/Targets.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tilerig {

// Runs `body` once for each instruction set of this CPU and build, including plain scalar code.
template <class Body>
void onEveryTarget(const Body &body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

inline uint32_t bitsOfFloat(float x) { return std::bit_cast<uint32_t>(x); }
inline float floatOfBits(uint32_t bits) { return std::bit_cast<float>(bits); }

// Every stride-th bit pattern of fp32. With an odd stride, all exponents and all low mantissa bits occur.
inline std::vector<float> floatsAtStride(uint32_t stride) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += stride)
    values.push_back(floatOfBits(static_cast<uint32_t>(bits)));
  return values;
}

// Index of the first element that differs in its bits; the length of `a` if none does.
template <class A, class B>
size_t firstDifference(const A &a, const B &b) {
  size_t i = 0;
  while (i < a.size() && std::bit_cast<uint32_t>(a[i]) == std::bit_cast<uint32_t>(b[i]))
    ++i;
  return i;
}

class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;
  uint32_t bits() { return static_cast<uint32_t>(next() >> 32); }
  int64_t within(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
};

} // namespace tilerig
