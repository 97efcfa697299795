// An instruction that computes or moves, made ready to run: its operands are places in host memory, and what
// can be decided before the first run has been.
//
// What an instruction means is stated here and in the files beside it, and nowhere else: fast mode runs works
// whole, in any order that the program's synchronisation allows; timed mode runs them when their time has
// come, and those of unproved programs row by row. No clock is known here.
#pragma once

#include "isa/Instructions/Access.h"

#include <memory>
#include <optional>
#include <string>

namespace tilerig {

// Room that a thread lends to the work that it runs. Grows to what is needed and stays, so that running
// allocates nothing after the first time.
class Scratch {
public:
  // Accumulators whose exact sum did not fit into 32 bits, of instructions that are not proved free of that.
  uint64_t overflows = 0;

  template <class T>
  T *of(unsigned slot, size_t count) {
    std::vector<std::byte> &room = rooms[slot];
    const size_t bytes = count * sizeof(T) + alignment;
    if (room.size() < bytes)
      room.resize(bytes);
    const auto at = reinterpret_cast<uintptr_t>(room.data());
    return reinterpret_cast<T *>((at + alignment - 1) / alignment * alignment);
  }

private:
  static constexpr size_t alignment = 64;
  std::array<std::vector<std::byte>, 21> rooms;
};

// What the values themselves can do wrong: a division by zero, an index outside its table.
struct DataFault {
  std::string what;
};

inline namespace emulated { // as Box.h says

class Work {
public:
  virtual ~Work() = default;

  // Rows of the output: what a beat of an unproved program does at once. Rows [0, rows) together, in any
  // split, are the instruction.
  uint64_t rows() const { return numRows; }
  virtual std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const = 0;

protected:
  explicit Work(uint64_t rows) : numRows(rows) {}

private:
  uint64_t numRows;
};

} // namespace emulated

} // namespace tilerig
