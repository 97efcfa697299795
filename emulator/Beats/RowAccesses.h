// The bytes that a single row of an instruction reads and writes, for execution row by row.
//
// isa/Instructions/Access.h states what an instruction touches as a whole; this header states the part of one
// row, with rows numbered as in the prepared operation (`PreparedOp`). Weights and per-output constants (bias,
// scale, table) are read again for every row, because the machine caches none of them.
#pragma once

#include "isa/Instructions/Access.h"

namespace tilerig::emulator {

// Returns the part of a stream that has the given index in dimension `dim`.
Stream fixedAt(Stream stream, unsigned dim, uint32_t index);

// Appends the accesses of one row of an instruction of the POD (matrix engine) or the PE (vector engine) that
// has passed checkInstruction.
void appendRowAccesses(const Instruction &instruction, unsigned tile, uint64_t row, AccessList &out);
// Number of rows of an instruction of the POD (matrix engine) or the PE (vector engine): the number of rows
// of its output. For a normalisation over several output rows, the number of groups of rows that are
// normalised together.
uint64_t numRows(const Instruction &instruction);
// The output stream of an instruction of the POD (matrix engine) or the PE (vector engine); an absent stream
// for other instructions.
const Stream &outputOf(const Instruction &instruction);

} // namespace tilerig::emulator
