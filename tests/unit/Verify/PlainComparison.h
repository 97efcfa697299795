// Naive second implementation of the comparison rules: one loop over the elements, sums in long double. It
// shares nothing with verify/Metrics but the names of limits and results.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct PlainComparison {
  uint64_t discarded = 0, passed = 0, failed = 0, different = 0, undefined = 0, excused = 0;
  uint64_t nanReference = 0, nanTarget = 0, infReference = 0, infTarget = 0, agreeing = 0, differing = 0;
  std::array<uint64_t, 10> buckets{}, inLimit{};
  long double anchor = 0, maxAbs = 0, meanAbs = 0, meanError = 0, rms = 0, cosine = 0, pearson = 0, sqnr = 0;
  uint64_t railsLow = 0, railsHigh = 0; // elements of the target at the lowest and highest value of its type
  std::vector<uint64_t> ulps;           // distance in ulp of each finite element
  std::vector<WorstElement> worst;
};

PlainComparison comparePlainly(const Tensor &reference, const Tensor &target, const Limits &limits);

// The value of an element, decoded from its bits.
double numberAt(const Tensor &tensor, size_t index);

} // namespace tilerig::verify
