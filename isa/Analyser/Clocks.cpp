#include "isa/Analyser/Clocks.h"

#include <algorithm>

namespace tilerig {

Clocks::Clocks(const StageThreads &stage) : tiles(stage.tiles.size()), rows(1), scratch(tiles) {
  size_t size = 0;
  for (ThreadId thread = 0; thread < stage.numThreads(); ++thread) {
    // A thread has a vector clock for each of its steps and, before these, one for the beginning of the
    // stage.
    base.push_back(size);
    if (slotOf(thread) < numThreadKinds)
      size += stage.numSteps(thread) + 1;
  }
  stamps.resize(size);
  // Creates the first vector clock, with which all threads begin a stage: no step of any thread has ended.
  allocate(scratch);
}

uint32_t Clocks::allocate(const std::vector<RowNumber> &rowOfTile) {
  if (numShared == blocks.size() * perBlock)
    blocks.push_back(std::make_unique_for_overwrite<RowNumber[]>(perBlock * tiles));
  std::ranges::copy(rowOfTile, blocks[numShared / perBlock].get() + numShared % perBlock * tiles);
  return numShared++;
}

Clocks::RowNumber Clocks::addRow(const Row &row) {
  rows.push_back(row);
  return static_cast<RowNumber>(rows.size() - 1);
}

// Joins the rows `a` and `b`, each of which holds a vector clock's counts for the threads of one tile.
// Returns the number of a row that has the greater count for each thread. Usually this is one of the two
// rows; only otherwise is a row added.
Clocks::RowNumber Clocks::joinRows(RowNumber a, RowNumber b) {
  if (a == b || b == 0)
    return a;
  Row row = rows[a];
  bool aLess = false, bLess = false;
  for (unsigned slot = 0; slot < threadsPerTile; ++slot) {
    aLess |= row[slot] < rows[b][slot];
    bLess |= rows[b][slot] < row[slot];
    row[slot] = std::max(row[slot], rows[b][slot]);
  }
  return !aLess ? a : !bLess ? b : addRow(row);
}

void Clocks::flatten(const Stamp &stamp, unsigned tile) {
  std::copy_n(shared(stamp[sharedSlot]), tiles, scratch.begin());
  Row own = stamp;
  own[sharedSlot] = 0;
  if (rows[scratch[tile]] != own)
    scratch[tile] = addRow(own);
}

uint32_t Clocks::joinScratch(uint32_t number) {
  const RowNumber *known = shared(number);
  bool adds = false;
  for (size_t tile = 0; tile < tiles; ++tile) {
    scratch[tile] = joinRows(known[tile], scratch[tile]);
    adds |= scratch[tile] != known[tile];
  }
  return adds ? allocate(scratch) : number;
}

// A vector clock is stored in two parts: its own part, for the tile it belongs to, and a part that it shares
// with other clocks. Counts in its own part must be at least those in the shared part for the same tile.
void Clocks::adopt(Stamp &stamp, unsigned tile, uint32_t number) const {
  stamp[sharedSlot] = number;
  const Row &own = rows[shared(number)[tile]];
  for (unsigned slot = 0; slot < numThreadKinds; ++slot)
    stamp[slot] = std::max(stamp[slot], own[slot]);
}

void Clocks::joinSameTile(Stamp &stamp, const Stamp &other) {
  for (unsigned slot = 0; slot < numThreadKinds; ++slot)
    stamp[slot] = std::max(stamp[slot], other[slot]);
  const uint32_t mine = stamp[sharedSlot], theirs = other[sharedSlot];
  if (mine == theirs)
    return;
  std::copy_n(shared(theirs), tiles, scratch.begin());
  stamp[sharedSlot] = joinScratch(mine);
  // If the joined part of the vector clocks equals the shared part of `other`, that part is used and the
  // newly allocated one is freed.
  if (stamp[sharedSlot] != mine && std::equal(scratch.begin(), scratch.end(), shared(theirs))) {
    stamp[sharedSlot] = theirs;
    --numShared;
  }
}

Clocks::Stamp Clocks::endOf(Event event) const {
  Stamp stamp = stampOf(event);
  stamp[slotOf(event.thread)] = event.ordinal;
  if (event.ordinal > 0 && isDmaWrite(kindOf(event.thread)))
    stamp[slotOf(readerOf(event.thread))] = std::max(stamp[slotOf(readerOf(event.thread))], event.ordinal);
  return stamp;
}

// If the vector clock `stamp` already includes the step `event`, it also includes everything that is known at
// the end of `event`. The join is then skipped.
void Clocks::joinEnd(Stamp &stamp, unsigned tile, Event event) {
  if (known(stamp, tile, event.thread) >= event.ordinal)
    return;
  const Stamp other = endOf(event);
  if (tileOfThread(event.thread) == tile)
    return joinSameTile(stamp, other);
  flatten(other, tileOfThread(event.thread));
  adopt(stamp, tile, joinScratch(stamp[sharedSlot]));
}

uint32_t Clocks::meet(std::span<const Event> events) {
  std::vector<RowNumber> all(tiles);
  for (const Event &event : events) {
    flatten(endOf(event), tileOfThread(event.thread));
    for (size_t tile = 0; tile < tiles; ++tile)
      all[tile] = joinRows(all[tile], scratch[tile]);
  }
  return allocate(all);
}

} // namespace tilerig
