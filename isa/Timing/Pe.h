// Timing and memory traffic of instructions of the PE (vector engine).
//
//   cycles = start + max(read, written, special)
//
//   read, written   bytes in whole OCM accesses at 64 B per cycle and direction; operands share the read port
//   special         elements that need a division, a function computed by a series, or a table: 16 per cycle
//
// No rows are buffered. Pool, flatten and resize read every tap of every window again. Softmax reads each row
// three times (maximum, sum of exp, quotient); normalisation reads it three times (mean, variance, result) or
// twice (mean of squares, result). exp is computed twice rather than stored.
#pragma once

#include "isa/Instructions/Pe.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

struct PeTime {
  uint64_t startCycles = 0, readCycles = 0, writeCycles = 0, specialCycles = 0;
  // Bytes that the instruction reads and writes, in whole accesses of the on-chip memory.
  uint64_t bytesRead = 0, bytesWritten = 0;

  uint64_t cycles() const;
};

PeTime timeOf(PeInstructions::Reference instruction, const Machine &machine);
template <OneOf<PeInstructions> T>
PeTime timeOf(const T &instruction, const Machine &machine) {
  return timeOf(PeInstructions::Reference(&instruction), machine);
}

} // namespace tilerig
