// Who may share bytes with whom.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

namespace tilerig {

inline bool liveTogether(const Buffer &a, const Buffer &b) { return a.from <= b.to && b.from <= a.to; }

// Whether one lies inside the other, over any number of wholes.
bool isPartOf(const MemoryProblem &problem, size_t part, size_t whole);
// Whether the result may stand where the operand does: it is allowed to, and their lives meet in one step.
bool mayStandIn(const MemoryProblem &problem, size_t result, size_t operand);
// Either of them in place of the other.
bool mayShareAddress(const MemoryProblem &problem, size_t a, size_t b);

} // namespace tilerig
