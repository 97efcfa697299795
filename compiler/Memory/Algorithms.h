// Ways to place bodies, one file each. All of them give right plans; none is best everywhere, for the problem
// is hard, so the planner tries them all. They know nothing of the capacity: a plan may reach beyond it.
#pragma once

#include "compiler/Memory/Bodies.h"

#include <array>

namespace tilerig {

// Each as low as it can be, in the order in which they begin.
MemoryPlan firstFitByTime(const Bodies &bodies);
// Each as low as it can be, large ones first.
MemoryPlan firstFitBySize(const Bodies &bodies);
// The same by size times length of life.
MemoryPlan firstFitBySizeAndLife(const Bodies &bodies);
// Each as low as it can be, those first that are alive when most is.
MemoryPlan firstFitByPressure(const Bodies &bodies);
// Large ones first, each into the gap that it leaves least of.
MemoryPlan bestFitBySize(const Bodies &bodies);

using MemoryAlgorithm = MemoryPlan (*)(const Bodies &bodies);
inline constexpr std::array<MemoryAlgorithm, 5> greedyAlgorithms = {
    firstFitByTime, firstFitBySize, firstFitBySizeAndLife, firstFitByPressure, bestFitBySize};

// How long a search goes on: until the peak is no more than `enough`, or so many buffers have been looked at.
struct SearchLimits {
  uint64_t enough = 0;
  uint64_t work = 0;
};
// Looks for a better order to place bodies in, beginning with that of `start`; what it gives is no worse.
MemoryPlan improveOrder(const Bodies &bodies, const MemoryPlan &start, SearchLimits limits);

} // namespace tilerig
