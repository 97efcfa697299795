// The checker of single instructions: what it accepts has a meaning, on this machine and at this place.
//
// It knows nothing of other instructions. Order, initialised memory, indices in memory and overflow are the
// analyser's and the emulator's business; so is an output that overlaps an operand of the same instruction.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

namespace tilerig {

// Refuses the instruction, as part of the program of `tile` (one of `tiles`), if it breaks a rule of the
// reference page. The error names the field and what was expected: "conv: input.dims[2].stride: is 3;
// expected a multiple of 2, the bytes of fp16".
Status checkInstruction(const Instruction &instruction, const Machine &machine, unsigned tile,
                        unsigned tiles);

} // namespace tilerig
