// Which buffers of a memory problem may share bytes.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"

namespace tilerig::compiler {

inline bool liveTogether(const Buffer &a, const Buffer &b) { return a.from <= b.to && b.from <= a.to; }

// Whether buffer `part` lies inside buffer `whole`, directly or inside another part of it.
bool isPartOf(const MemoryProblem &problem, size_t part, size_t whole);
// Whether the buffer `result` may have the address of the buffer `operand`: the problem allows it, and the
// last step of the operand is the first step of the result.
bool mayStandIn(const MemoryProblem &problem, size_t result, size_t operand);
// Whether one of the two buffers is a result that may replace the other one, its operand, at the same
// address.
bool mayShareAddress(const MemoryProblem &problem, size_t a, size_t b);

} // namespace tilerig::compiler
