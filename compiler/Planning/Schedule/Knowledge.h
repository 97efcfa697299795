// Vector clocks ([1, 2] in README.md) over the engines of all tiles: which tasks each engine knows to have
// ended.
//
// A clock states for every engine how many of its tasks have certainly ended. Each engine has two clocks:
// what is known when its next task begins, and what is known when all its tasks so far have ended. The two
// clocks differ for a DMA engine only, because a DMA engine begins to read while it still writes. The clock
// at the end of a task is kept as a row as long as later tasks depend on that task.
#pragma once

#include "compiler/Planning/Schedule/Task.h"

#include <span>

namespace tilerig::compiler {

class Knowledge {
public:
  using Row = uint32_t;

  explicit Knowledge(unsigned tiles);

  // Whether the first `ordinal` tasks of engine `other` have certainly ended when the next task of `engine`
  // begins.
  bool knows(EngineId engine, EngineId other, uint32_t ordinal) const {
    return begins[size_t{engine} * engines + other] >= ordinal;
  }
  // Counts the engine's next task as issued, so that it becomes the engine's last task.
  void take(EngineId engine);
  // Records that the engine's next task begins after engine `other` has ended all its tasks so far, and after
  // all tasks that `other` has waited for.
  void learnAllOf(EngineId engine, EngineId other);
  // Barrier: all engines of these tiles (bit mask) continue after all of them have ended all their tasks.
  void meet(uint64_t tiles);

  // Stores the vector clock of the time when the engine's last task ends, and returns the row in which it is
  // stored.
  Row keep(EngineId engine);
  void release(Row row) { freeRows.push_back(row); }
  // Records that the engine's next task begins after the task whose vector clock is stored in `row` has
  // ended.
  void learn(EngineId engine, Row row);

private:
  using Clock = std::span<uint32_t>;
  Clock beginOf(EngineId engine) { return Clock(begins).subspan(size_t{engine} * engines, engines); }
  Clock endOf(EngineId engine) { return Clock(ends).subspan(size_t{engine} * engines, engines); }
  Clock clockOf(Row row) { return Clock(rows).subspan(size_t{row} * engines, engines); }
  static void join(Clock to, std::span<const uint32_t> from);

  unsigned engines;
  // The vector clocks one after another, each with `engines` numbers.
  std::vector<uint32_t> begins, ends, rows;
  std::vector<Row> freeRows;
};

} // namespace tilerig::compiler
