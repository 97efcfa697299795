// The checker of single instructions. An instruction that it accepts has a defined meaning on the given
// machine and tile.
//
// The checker looks at one instruction at a time. The analyser and the emulator check the rest: order of
// accesses, reads of uninitialised memory, indices that an instruction reads from memory, overflow, and
// outputs that overlap an operand of the same instruction.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// Refuses the instruction, as part of the program of `tile` (one of `tiles`), if it breaks a rule of the
// reference page (isa/ISA.md). The error names the field and the expected value: "conv: input.dims[2].stride:
// is 3; expected a multiple of 2, the bytes of fp16".
Status checkInstruction(const Instruction &instruction, const Machine &machine, unsigned tile,
                        unsigned tiles);

} // namespace tilerig
