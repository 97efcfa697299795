// How long the PE takes, and what it moves meanwhile.
//
//   cycles = start + max(read, written, special)
//
//   read, written   bytes in whole OCM accesses at 64 B a cycle each way; all operands share the way in
//   special         elements that take a division, a function with a series, or a table, 16 a cycle
//
// Nothing is kept from row to row: pool, flatten and resize read every tap of every window anew, softmax
// reads each row three times (maximum, sum of exp, quotient) and normalisation three (mean, variance, result)
// or two (mean of squares, result). exp is computed twice rather than stored.
#pragma once

#include "isa/Instructions/Pe.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

struct PeTime {
  uint64_t startCycles = 0, readCycles = 0, writeCycles = 0, specialCycles = 0;
  uint64_t bytesRead = 0, bytesWritten = 0; // in whole accesses

  uint64_t cycles() const;
};

PeTime timeOf(const Binary &binary, const Machine &machine);
PeTime timeOf(const Select &select, const Machine &machine);
PeTime timeOf(const Activate &activate, const Machine &machine);
PeTime timeOf(const Lookup &lookup, const Machine &machine);
PeTime timeOf(const Pool &pool, const Machine &machine);
PeTime timeOf(const Reduce &reduce, const Machine &machine);
PeTime timeOf(const Softmax &softmax, const Machine &machine);
PeTime timeOf(const Normalize &normalize, const Machine &machine);
PeTime timeOf(const Copy &copy, const Machine &machine);
PeTime timeOf(const Flatten &flatten, const Machine &machine);
PeTime timeOf(const Resize &resize, const Machine &machine);
PeTime timeOf(const Fill &fill, const Machine &machine);

} // namespace tilerig
