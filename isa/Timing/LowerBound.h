// The cycles that no implementation of the machine can undercut: max(multiplications / peak rate, bytes /
// bandwidth), with every needed byte moved once and nothing rounded up. It is computed from the operands
// alone, apart from the latency formulas, so that it can judge them.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// An input that is read through a window is left out: how much of it is needed depends on how the windows
// overlap.
uint64_t lowerBoundCycles(const Instruction &instruction, const Machine &machine);

} // namespace tilerig
