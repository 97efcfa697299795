// The planner: tries every algorithm, takes the smallest peak, and searches for a better one where that pays.
#pragma once

#include "compiler/Memory/DoesNotFit.h"
#include "compiler/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig {

// How long to look for a plan that fits: until it would be felt, or, where that decides whether a layer runs
// at all, a second or two.
enum class MemoryEffort : uint8_t { brief, thorough };

// A plan that is verified, or why there is none. An error means that the problem contradicts itself.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort = MemoryEffort::thorough);

} // namespace tilerig
