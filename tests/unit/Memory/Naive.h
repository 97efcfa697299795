// What the planner's functions are compared with: byte after byte, step after step.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

#include <set>

namespace tilerig::test {

// Whether the addresses are right, found by writing every buffer's name on its bytes at each of its steps.
bool isRight(const MemoryProblem &problem, const std::vector<uint64_t> &addresses);

// The smallest peak of all right plans, by trying every address; none if nothing fits.
std::optional<uint64_t> leastPeak(const MemoryProblem &problem);

// Pairs (before, after): some byte that `after` has was last that of `before`, which has ended.
std::set<std::pair<size_t, size_t>> heirs(const MemoryProblem &problem,
                                          const std::vector<uint64_t> &addresses);

} // namespace tilerig::test
