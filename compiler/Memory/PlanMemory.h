// The planner: tries every algorithm, takes the smallest peak, and searches for a better one where that pays.
#pragma once

#include "compiler/Memory/DoesNotFit.h"
#include "compiler/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig {

// A plan that is verified, or why there is none. An error means that the problem contradicts itself.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
Result<MemoryOutcome> planMemory(const MemoryProblem &problem);

} // namespace tilerig
