// Naive second implementation of the comparison rules: one loop over the elements, sums in long double. It
// shares nothing with verify/Metrics but the names of limits and metrics.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

template <MetricKind kind>
using PlainType = std::conditional_t<kind == MetricKind::count, uint64_t, long double>;

struct PlainComparison {
  // One member for each comparison metric that Metrics.def lists.
#define METRIC(field, kind, key, heading, tables) PlainType<MetricKind::kind> field = 0;
#include "verify/Metrics/Metrics.def"
  std::array<uint64_t, 10> buckets{}, inLimit{};
  long double anchor = 0;
  // Number of elements at the lowest, and at the highest, value of the target's type.
  uint64_t railsLow = 0, railsHigh = 0;
  std::vector<uint64_t> ulps; // distance of target and reference in ulp, for each finite element
  std::vector<WorstElement> worst;
};

PlainComparison comparePlainly(const Tensor &reference, const Tensor &target, const Limits &limits);

// The value of an element, decoded from its bits.
double numberAt(const Tensor &tensor, size_t index);

} // namespace tilerig::verify
