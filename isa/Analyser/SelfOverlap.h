// What an instruction must not do to itself: write where it reads, before it has read.
//
// An instruction may begin to write while it still reads. Only an element may be replaced by its own result:
// where the output has base, element size and dimensions of an operand that the instruction needs element by
// element, or, in a softmax, row by row.
#pragma once

#include "isa/Analyser/Report.h"

namespace tilerig {

// `accesses` are those of the instruction.
void checkSelfOverlap(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
                      const AccessList &accesses, Report &report);

} // namespace tilerig
