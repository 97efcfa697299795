// The bytes that one row of an instruction reads and writes, when the row is a beat of its own.
//
// isa/Instructions/Access.h states what an instruction touches as a whole; this is the part of a row, as
// Work counts rows. Constants for each output (bias, scale, table) and weights are read anew for every row:
// nothing of the machine keeps them.
#pragma once

#include "isa/Instructions/Access.h"

namespace tilerig {

// Dimension `dim` of the stream is at that index and nowhere else.
Stream fixedAt(Stream stream, unsigned dim, uint32_t index);

// Of a POD or PE instruction that has passed checkInstruction.
void appendRowAccesses(const Instruction &instruction, unsigned tile, uint64_t row, AccessList &out);
// How many rows there are: those of the output, or groups of them where an instruction combines several.
uint64_t numRows(const Instruction &instruction);
// The output of a POD or PE instruction.
const Stream &outputOf(const Instruction &instruction);

} // namespace tilerig
