// Greedy placement algorithms, one file each, and a search over orders. All of them return valid plans. None
// is best everywhere, as the problem is NP-hard, so the planner tries them all. They ignore the capacity: a
// plan may exceed it.
#pragma once

#include "compiler/Memory/Bodies.h"

#include <array>

namespace tilerig::compiler {

// Places bodies in the order in which they begin, each at the lowest address where it fits.
MemoryPlan firstFitByTime(const Bodies &bodies);
// Places large bodies first, each at the lowest address where it fits.
MemoryPlan firstFitBySize(const Bodies &bodies);
// Places bodies by descending size times lifetime, each at the lowest address where it fits.
MemoryPlan firstFitBySizeAndLife(const Bodies &bodies);
// Places bodies by descending peak of live bytes during their lifetime, each at the lowest address where it
// fits.
MemoryPlan firstFitByPressure(const Bodies &bodies);
// Places large bodies first, each into the gap with the least space left over.
MemoryPlan bestFitBySize(const Bodies &bodies);

using MemoryAlgorithm = MemoryPlan (*)(const Bodies &bodies);
inline constexpr std::array<MemoryAlgorithm, 5> greedyAlgorithms = {
    firstFitByTime, firstFitBySize, firstFitBySizeAndLife, firstFitByPressure, bestFitBySize};

// Ends a search: when the peak is at most `enough`, or `work` buffers have been looked at.
struct SearchLimits {
  uint64_t enough = 0;
  uint64_t work = 0;
};
// Searches for a better placement order, starting from the order of `start`; never returns a worse plan.
MemoryPlan improveOrder(const Bodies &bodies, const MemoryPlan &start, SearchLimits limits);

} // namespace tilerig::compiler
