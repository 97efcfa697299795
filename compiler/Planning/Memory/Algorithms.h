// Greedy placement algorithms, one file each, and a search over placement orders. They place bodies: buffers
// with the buffers inside them (Bodies.h). All of them return valid plans. None is best everywhere, as the
// problem is NP-hard, so the planner tries them all. They ignore the capacity of the memory: a plan may
// exceed it.
#pragma once

#include "compiler/Planning/Memory/Bodies.h"

#include <array>

namespace tilerig::compiler {

// Places bodies (buffers with all their parts) in the order in which they become live. Each gets the lowest
// address at which it fits.
MemoryPlan firstFitByTime(const Bodies &bodies);
// Places bodies (buffers with all their parts) by descending size. Each gets the lowest address at which it
// fits.
MemoryPlan firstFitBySize(const Bodies &bodies);
// Places bodies (buffers with all their parts) by descending product of size and lifetime. Each gets the
// lowest address at which it fits.
MemoryPlan firstFitBySizeAndLife(const Bodies &bodies);
// Places bodies (buffers with all their parts) by descending pressure, which is the largest number of live
// bytes at any step of their lifetime. Each gets the lowest address at which it fits.
MemoryPlan firstFitByPressure(const Bodies &bodies);
// Places bodies (buffers with all their parts) by descending size. Each is put into the gap that it fills
// best.
MemoryPlan bestFitBySize(const Bodies &bodies);

using MemoryAlgorithm = MemoryPlan (*)(const Bodies &bodies);
inline constexpr std::array<MemoryAlgorithm, 5> greedyAlgorithms = {
    firstFitByTime, firstFitBySize, firstFitBySizeAndLife, firstFitByPressure, bestFitBySize};

// When a search for a better plan ends: when the peak is at most `enough` bytes, or after `work` comparisons
// of a buffer with a buffer that already has an address.
struct SearchLimits {
  uint64_t enough = 0;
  uint64_t work = 0;
};
// Searches for a placement order with a lower peak than that of the plan `start`, beginning with the order of
// its addresses. Never returns a worse plan than `start`.
MemoryPlan improveOrder(const Bodies &bodies, const MemoryPlan &start, SearchLimits limits);

} // namespace tilerig::compiler
