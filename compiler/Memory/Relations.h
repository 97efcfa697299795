// Which buffers may share bytes.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

namespace tilerig::compiler {

inline bool liveTogether(const Buffer &a, const Buffer &b) { return a.from <= b.to && b.from <= a.to; }

// Whether one buffer lies inside the other, directly or through other parts.
bool isPartOf(const MemoryProblem &problem, size_t part, size_t whole);
// Whether the result may take the operand's address: it is allowed to, and their live ranges meet in exactly
// one step.
bool mayStandIn(const MemoryProblem &problem, size_t result, size_t operand);
// Whether either may replace the other.
bool mayShareAddress(const MemoryProblem &problem, size_t a, size_t b);

} // namespace tilerig::compiler
