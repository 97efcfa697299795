// A prepared operation: an instruction that computes or moves data, or several products that are computed together, with
// operands resolved to host addresses and everything precomputed that does not depend on values.
//
// The files of this folder are the emulator's only implementation of the instructions. Fast mode runs
// operations whole, in any order that the program's synchronisation allows; timed mode runs them at their
// time, and row by row where instructions of a program that is not proved free of races access the same bytes
// at the same time. Nothing here depends on a clock.
#pragma once

#include "isa/Instructions/Access.h"

#include <memory>
#include <optional>
#include <string>

namespace tilerig::emulator {

// Scratch buffers that a worker thread lends to the operation it runs. They grow to the size needed and are
// kept, so that no allocations happen after the first run.
class Scratch {
public:
  // Number of accumulators whose exact sum did not fit into 32 bits; counted only in instructions for which
  // the analyser could not exclude overflow.
  uint64_t overflows = 0;

  template <class T>
  T *of(unsigned slot, size_t count) {
    std::vector<std::byte> &buffer = buffers[slot];
    const size_t bytes = count * sizeof(T) + alignment;
    if (buffer.size() < bytes)
      buffer.resize(bytes);
    const auto at = reinterpret_cast<uintptr_t>(buffer.data());
    return reinterpret_cast<T *>((at + alignment - 1) / alignment * alignment);
  }

private:
  static constexpr size_t alignment = 64;
  std::array<std::vector<std::byte>, 21> buffers;
};

// An error caused by data values: a division by zero, an index outside its table.
struct DataFault {
  std::string description;
};

class PreparedOp {
public:
  virtual ~PreparedOp() = default;

  // Number of rows into which the operation is divided, usually output rows. run() computes the rows begin to
  // end - 1. The instruction is executed when all its rows have been run once, in ranges of any size.
  uint64_t rows() const { return numRows; }
  virtual std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const = 0;

protected:
  explicit PreparedOp(uint64_t rows) : numRows(rows) {}

private:
  uint64_t numRows;
};

} // namespace tilerig::emulator
