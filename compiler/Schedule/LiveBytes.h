// Accesses to one memory that a later task could still depend on.
//
// Tasks come in their sequential order. Reads and writes are kept apart, as reads never meet: weights that a
// thousand tasks read cost each of them nothing. An access is forgotten when later writes cover all of it,
// for whatever would depend on it depends on them. One write that covers it alone is seen at once; writes
// that do so together (slices side by side, the pieces of a halo) are found by collecting, which is done when
// looking at what is kept has cost more than finding out.
#pragma once

#include "isa/Analyser/IntervalIndex.h"
#include "isa/Analyser/RegionShapes.h"

namespace tilerig {

class LiveBytes {
public:
  using Shape = RegionShapes::Shape;

  // Calls visit(task) for every kept write that shares a byte with the region.
  template <class Visitor>
  void visitWrites(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    visitAll(writes, region, shape, shapes, false, visit);
  }
  // The same for reads, and forgets what the region covers: it is going to be written.
  template <class Visitor>
  void overwriteReads(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    visitAll(reads, region, shape, shapes, true, visit);
  }
  template <class Visitor>
  void overwriteWrites(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    visitAll(writes, region, shape, shapes, true, visit);
  }

  void addRead(uint32_t task, const Region &region, Shape shape, const RegionShapes &shapes) {
    add(reads, task, region, shape, shapes);
  }
  void addWrite(uint32_t task, const Region &region, Shape shape, const RegionShapes &shapes) {
    add(writes, task, region, shape, shapes);
  }

  // Pairs of accesses that were looked at.
  uint64_t comparisons() const { return looks; }

private:
  struct Live {
    uint32_t task = 0;
    Shape shape = RegionShapes::run;
  };
  struct Kept {
    uint32_t task;
    bool write;
    ByteRange range;
    Shape shape;
  };

  template <class Visitor>
  void visitAll(IntervalIndex<Live> &index, const Region &region, Shape shape, RegionShapes &shapes,
                bool overwrites, Visitor &visit) {
    index.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
      ++looks;
      if (RegionShapes::surelyApart(region, shape, range, live.shape) ||
          !shapes.overlap(region, shape, range, live.shape))
        return false;
      visit(live.task);
      return overwrites && RegionShapes::covers(region, shape, range, live.shape);
    });
  }
  void add(IntervalIndex<Live> &index, uint32_t task, const Region &region, Shape shape,
           const RegionShapes &shapes);
  void collect(const RegionShapes &shapes);

  IntervalIndex<Live> reads, writes;
  uint64_t looks = 0, looksAtCollection = 0;
  uint64_t keptRuns = 0; // of all that has been kept since the last collection: what the next one costs
};

} // namespace tilerig
