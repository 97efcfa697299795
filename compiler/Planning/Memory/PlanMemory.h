// The memory planner: tries every placement algorithm, keeps the smallest peak, and searches for a better one
// where that pays.
#pragma once

#include "compiler/Planning/Memory/DoesNotFit.h"
#include "compiler/Planning/Memory/MemoryProblem.h"

#include <variant>

namespace tilerig::compiler {

// Search effort. `brief`: any plan that fits, within an imperceptible time. `thorough`: one or two seconds,
// to find a lower peak, or where the search decides whether a layer can run at all.
enum class MemoryEffort : uint8_t { brief, thorough };

// A verified plan, or the reason why there is none.
using MemoryOutcome = std::variant<MemoryPlan, DoesNotFit>;
// Plans addresses for all buffers. An error means that the problem is inconsistent.
Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort = MemoryEffort::thorough);

} // namespace tilerig::compiler
