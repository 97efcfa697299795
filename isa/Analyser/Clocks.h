// Vector clocks of the threads of a stage.
//
// A clock says of every thread how many of its steps have certainly ended. Kept for each step is the clock at
// its beginning; its end adds the step itself (and, where a DMA engine ends to write, the reading that it
// wrote). So whether one step ended before another began is one comparison, for any two steps at any time:
// the idea of epochs from FastTrack, with the whole clocks of Fidge and Mattern behind it.
//
// A clock is stored in two parts. The counts of the own tile change with nearly every step and stand in the
// stamp. What is known of all tiles changes only when tiles synchronise; it is shared, immutable and named by
// number: for each tile the number of a row of counts, since most of what two clocks know of distant tiles is
// the same.
#pragma once

#include "isa/Analyser/Threads.h"

#include <memory>
#include <span>

namespace tilerig {

class Clocks {
public:
  // The stamp of a step: counts of the own tile's threads, and in the last place the number of the shared
  // part.
  using Stamp = std::array<uint32_t, threadsPerTile>;

  explicit Clocks(const StageThreads &stage);

  // How many steps of `of` have ended when `event` begins; a step that has been recorded.
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

  // The stamp after the step has ended.
  Stamp endOf(Event event) const;
  void record(Event event, const Stamp &stamp) { stamps[base[event.thread] + event.ordinal] = stamp; }
  // Adds to a stamp of `tile` all that is known when `event` has ended.
  void joinEnd(Stamp &stamp, unsigned tile, Event event);
  // Adds the beginning of a step of the same tile.
  void joinBegin(Stamp &stamp, Event event) { joinSameTile(stamp, stampOf(event)); }
  // The shared part that says all that is known when all of these have ended.
  uint32_t meet(std::span<const Event> events);
  // Adds a shared part that knows at least what the stamp's own one does.
  void adopt(Stamp &stamp, unsigned tile, uint32_t number) const;

private:
  using Row = Stamp; // counts of one tile's threads; the last place is 0
  using RowNumber = uint32_t;
  static constexpr unsigned sharedSlot = threadsPerTile - 1;
  static constexpr size_t perBlock = 256;

  const RowNumber *shared(uint32_t number) const {
    return blocks[number / perBlock].get() + number % perBlock * tiles;
  }
  uint32_t allocate(const std::vector<RowNumber> &rowOfTile);
  RowNumber addRow(const Row &row);
  RowNumber joinRows(RowNumber a, RowNumber b);
  // What the stamp knows of every tile, in `scratch`.
  void flatten(const Stamp &stamp, unsigned tile);
  // Adds `scratch` to a shared part.
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
