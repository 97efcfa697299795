// What each engine knows to have ended: vector clocks [1, 2] over the engines of all tiles.
//
// A clock says of every engine how many of its tasks have certainly ended. Two are kept for each engine: what
// is known when its next task begins, and what is known when all tasks that it has taken have ended. POD and
// PE begin a task after the end of the one before, so the two are one; a DMA engine begins to read while it
// still writes. Clocks of tasks that somebody depends on are kept as rows until nobody does any more.
#pragma once

#include "compiler/Schedule/Task.h"

#include <span>

namespace tilerig {

class Knowledge {
public:
  using Row = uint32_t;

  explicit Knowledge(unsigned tiles);

  // Whether the first `ordinal` tasks of `other` have ended when the engine's next one begins.
  bool knows(EngineId engine, EngineId other, uint32_t ordinal) const {
    return begins[size_t{engine} * engines + other] >= ordinal;
  }
  // The engine takes its next task.
  void take(EngineId engine);
  // Its next task begins after all that `other` has taken has ended, and all that `other` has waited for.
  void learnAllOf(EngineId engine, EngineId other);
  // All engines of these tiles go on after all of them have ended everything.
  void meet(uint64_t tiles);

  // What is known when the engine's last task has ended.
  Row keep(EngineId engine);
  void release(Row row) { freeRows.push_back(row); }
  // The engine's next task begins after the end of the task with that row.
  void learn(EngineId engine, Row row);

private:
  using Clock = std::span<uint32_t>;
  Clock beginOf(EngineId engine) { return Clock(begins).subspan(size_t{engine} * engines, engines); }
  Clock endOf(EngineId engine) { return Clock(ends).subspan(size_t{engine} * engines, engines); }
  Clock clockOf(Row row) { return Clock(rows).subspan(size_t{row} * engines, engines); }
  static void join(Clock to, std::span<const uint32_t> from);

  unsigned engines;
  std::vector<uint32_t> begins, ends, rows; // clocks, one behind the other
  std::vector<Row> freeRows;
};

} // namespace tilerig
