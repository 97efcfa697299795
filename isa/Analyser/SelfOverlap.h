// Checks whether an instruction overwrites its own operands before it has read them.
//
// An instruction may begin to write while it still reads. In-place operation is legal only if each element is
// replaced by its own result: the output has the base, element size and dimensions of an operand that is read
// element by element or, in a softmax, row by row.
#pragma once

#include "isa/Order/Report.h"

namespace tilerig {

// Checks one instruction; `accesses` are all its memory accesses.
void checkSelfOverlap(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
                      const AccessList &accesses, Report &report);

} // namespace tilerig
