// A lower bound of an instruction's cycles for any implementation of the machine: max(multiplications / peak
// rate, bytes / bandwidth), with every needed byte moved once and nothing rounded up. It is computed from the
// operands, independently of the latency formulas, so that tests can check the latencies against it.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// The lower bound of an instruction's cycles. Inputs that are read through a window are not counted, because
// the bytes needed depend on how the windows overlap.
uint64_t lowerBoundCycles(const Instruction &instruction, const Machine &machine);

} // namespace tilerig
