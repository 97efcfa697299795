// Naive versions of the memory planner's functions, byte by byte and step by step, to compare it with.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"

#include <set>

namespace tilerig::test {
using namespace compiler;

// Whether the addresses are a valid plan, found by marking every byte of every buffer at each of its steps.
bool isRight(const MemoryProblem &problem, const std::vector<uint64_t> &addresses);

// The minimal peak over all valid plans, by trying every address; empty if no plan fits.
std::optional<uint64_t> leastPeak(const MemoryProblem &problem);

// Pairs (before, after) of buffers: `after` reuses a byte that last belonged to `before`, which is no longer
// live then.
std::set<std::pair<size_t, size_t>> heirs(const MemoryProblem &problem,
                                          const std::vector<uint64_t> &addresses);

} // namespace tilerig::test
