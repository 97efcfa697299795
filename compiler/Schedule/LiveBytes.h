// Accesses to one memory that a later task could still depend on.
//
// Tasks come in their sequential order. Reads and writes are kept apart, as reads never meet: weights that a
// thousand tasks read cost each of them nothing. An access is forgotten when later writes cover all of it,
// for whatever would depend on it depends on them. One write that covers it alone is seen at once; writes
// that do so together (slices side by side, the pieces of a halo) are found by collecting, which is done when
// looking at what is kept has cost more than finding out.
//
// Who writes upon a write that a task has read in full comes after that task, and so after the write: such
// writes are kept for those who read them, and not compared with other writes. Of all comparisons for
// ResNet-50 on 64 tiles these would be three quarters.
#pragma once

#include "isa/Analyser/IntervalIndex.h"
#include "isa/Analyser/RegionShapes.h"

namespace tilerig {

class LiveBytes {
public:
  using Shape = RegionShapes::Shape;

  // Calls visit(task) for every kept write that shares a byte with the region, which is going to be read.
  template <class Visitor>
  void readWrites(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    visitAll(writesInUse, region, shape, shapes, visit, [](ByteRange, const Live &) { return false; });
    visitAll(writes, region, shape, shapes, visit, [&](ByteRange range, const Live &live) {
      const bool isReadInFull = shapes.covers(region, shape, range, live.shape);
      if (isReadInFull)
        writesInUse.insert(range, live);
      return isReadInFull;
    });
  }
  // The same for reads; forgets what the region covers, as it is going to be written.
  template <class Visitor>
  void overwriteReads(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    overwrite(reads, region, shape, shapes, visit);
  }
  // The same for writes that nobody has read in full.
  template <class Visitor>
  void overwriteWrites(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    writesInUse.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
      return shapes.covers(region, shape, range, live.shape);
    });
    overwrite(writes, region, shape, shapes, visit);
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
    bool isWrite;
    ByteRange range;
    Shape shape;
    IntervalIndex<Live> *index;
  };

  // Those that remove(range, live) says true to leave the index.
  template <class Visitor, class Remove>
  void visitAll(IntervalIndex<Live> &index, const Region &region, Shape shape, RegionShapes &shapes,
                Visitor &visit, Remove &&remove) {
    index.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
      ++looks;
      if (RegionShapes::surelyApart(region, shape, range, live.shape) ||
          !shapes.overlap(region, shape, range, live.shape))
        return false;
      visit(live.task);
      return remove(range, live);
    });
  }
  template <class Visitor>
  void overwrite(IntervalIndex<Live> &index, const Region &region, Shape shape, RegionShapes &shapes,
                 Visitor &visit) {
    visitAll(index, region, shape, shapes, visit, [&](ByteRange range, const Live &live) {
      return shapes.covers(region, shape, range, live.shape);
    });
  }
  void add(IntervalIndex<Live> &index, uint32_t task, const Region &region, Shape shape,
           const RegionShapes &shapes);
  void collect(const RegionShapes &shapes);

  IntervalIndex<Live> reads, writes, writesInUse; // in use: read in full
  uint64_t looks = 0, looksAtCollection = 0;
  uint64_t keptRuns = 0; // of all that has been kept since the last collection: what the next one costs
};

} // namespace tilerig
