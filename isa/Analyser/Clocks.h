// Vector clocks of the threads of a stage.
//
// A step is the execution of one instruction on one thread (a concurrent part of a tile, such as its POD, the
// matrix engine). A clock states for every thread how many of its steps have certainly ended. For each step
// the clock at its beginning is stored; the clock at its end also counts the step itself (and, for the write
// step of a DMA engine, the read step that belongs to it). Whether one step ends before another begins is
// therefore a single comparison, for any two steps at any time. This is the epoch comparison of FastTrack,
// with the full vector clocks of Fidge and Mattern kept for every step.
//
// A clock is stored in two parts. The counts for the threads of the step's own tile change with nearly every
// step and are stored in the stamp. Knowledge about all tiles changes only when tiles synchronise; this
// second part is immutable, shared between clocks and identified by a number. For each tile it holds the
// number of a row of counts, because two clocks mostly agree on distant tiles.
#pragma once

#include "isa/Order/Threads.h"

#include <memory>
#include <span>

namespace tilerig {

class Clocks {
public:
  // The vector clock of a step as it is stored: the counts for the threads of the step's tile, and in the
  // last element the number of the part that is shared with other clocks.
  using Stamp = std::array<uint32_t, threadsPerTile>;

  explicit Clocks(const StageThreads &stage);

  // How many steps of another thread (`of`) have certainly ended when the step `event` begins. The vector
  // clock of `event` must have been recorded.
  uint32_t known(Event event, ThreadId of) const {
    return known(stampOf(event), tileOfThread(event.thread), of);
  }
  // Whether the step `first` ends before `second` begins, in every execution.
  bool before(Event first, Event second) const { return known(second, first.thread) >= first.ordinal; }

  const Stamp &stampOf(Event event) const { return stamps[base[event.thread] + event.ordinal]; }
  uint32_t known(const Stamp &stamp, unsigned tile, ThreadId of) const {
    const unsigned other = tileOfThread(of);
    return other == tile ? stamp[slotOf(of)] : rows[shared(stamp[sharedSlot])[other]][slotOf(of)];
  }

  // The vector clock at the end of the step `event`.
  Stamp endOf(Event event) const;
  void record(Event event, const Stamp &stamp) { stamps[base[event.thread] + event.ordinal] = stamp; }
  // Joins to the vector clock `stamp` the clock at the end of the step `event`; `tile` is the tile of
  // `stamp`.
  void joinEnd(Stamp &stamp, unsigned tile, Event event);
  // Joins to the vector clock `stamp` the clock at the beginning of the step `event`; `tile` is the tile of
  // both.
  void joinBegin(Stamp &stamp, Event event) { joinSameTile(stamp, stampOf(event)); }
  // Joins the vector clocks at the ends of the steps `events` into a part that several clocks can share, and
  // returns the number of that part.
  uint32_t meet(std::span<const Event> events);
  // Replaces the shared part of the vector clock `stamp` by part `number`, which must include the old one.
  // Also raises the counts of the clock's own part, which covers `tile`, to those in the new part.
  void adopt(Stamp &stamp, unsigned tile, uint32_t number) const;

private:
  using Row = Stamp; // a vector clock's counts for the threads of one tile; the last element is 0
  using RowNumber = uint32_t;
  static constexpr unsigned sharedSlot = threadsPerTile - 1;
  static constexpr size_t perBlock = 256;

  const RowNumber *shared(uint32_t number) const {
    return blocks[number / perBlock].get() + number % perBlock * tiles;
  }
  uint32_t allocate(const std::vector<RowNumber> &rowOfTile);
  RowNumber addRow(const Row &row);
  RowNumber joinRows(RowNumber a, RowNumber b);
  // Writes the vector clock `stamp`, which belongs to `tile`, to `scratch`: for every tile, the number of the
  // row that has the counts for the threads of that tile.
  void flatten(const Stamp &stamp, unsigned tile);
  // Joins the vector clock in `scratch` with a part that other clocks share, given by its number. Returns the
  // number of the joined part; this is the given part itself if `scratch` adds nothing to it.
  uint32_t joinScratch(uint32_t number);
  void joinSameTile(Stamp &stamp, const Stamp &other);

  size_t tiles;
  std::vector<size_t> base;
  std::vector<Stamp> stamps;
  std::vector<Row> rows;
  std::vector<std::unique_ptr<RowNumber[]>> blocks;
  uint32_t numShared = 0;
  std::vector<RowNumber> scratch;
};

} // namespace tilerig
