// The planner: tries every algorithm, takes the smallest peak, and searches for a better one where that pays.
#pragma once

#include "compiler/Memory/DoesNotFit.h"
#include "compiler/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig {

// How long to look: until it would be felt, and any plan that fits will do; or a second or two, where that
// decides whether a layer runs at all, and for a low peak.
enum class MemoryEffort : uint8_t { brief, thorough };

// A plan that is verified, or why there is none. An error means that the problem contradicts itself.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort = MemoryEffort::thorough);

} // namespace tilerig
