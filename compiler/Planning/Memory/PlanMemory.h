// The memory planner: tries every placement algorithm, keeps the plan with the smallest peak, and searches
// for a better one if this plan does not fit, or if its peak is far above the lower bound.
#pragma once

#include "compiler/Planning/Memory/DoesNotFit.h"
#include "compiler/Planning/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig::compiler {

// Search effort. `brief`: searches only if no algorithm's plan fits, for a fraction of a second. `thorough`:
// searches for one or two seconds, also to lower the peak of a plan that fits.
enum class MemoryEffort : uint8_t { brief, thorough };

// A verified plan, or the reason why there is none.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
// Plans addresses for all buffers. An error means that the problem is inconsistent.
Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort = MemoryEffort::thorough);

} // namespace tilerig::compiler
