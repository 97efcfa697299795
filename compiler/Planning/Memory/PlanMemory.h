// The memory planner: tries every placement algorithm and keeps the plan with the smallest peak. If this plan
// does not fit, or its peak is far above the lower bound, searches for a better one.
#pragma once

#include "compiler/Planning/Memory/DoesNotFit.h"
#include "compiler/Planning/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig::compiler {

// Search effort. `brief`: searches for a fraction of a second, and only if the plans of all algorithms are
// too large. `thorough`: searches for one or two seconds, and also to lower the peak of a plan that fits.
enum class MemoryEffort : uint8_t { brief, thorough };

// A verified plan, or the reason why there is none.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
// Plans addresses for all buffers. An error means that the problem is inconsistent.
Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort = MemoryEffort::thorough);

} // namespace tilerig::compiler
