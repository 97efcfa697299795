// Stores the accesses to one memory on which a later task can still depend.
//
// Tasks are added in sequential order. Reads and writes are indexed separately, because two reads never
// conflict: weights that a thousand tasks read cause no comparisons. An access is dropped once later writes
// cover all its bytes, because a task that conflicts with it also depends on those writes. If no single write
// covers an access, but several together do, it is dropped by a collection pass, which runs now and then.
//
// A write that some task has read in full is compared with later reads only. Later writes to its bytes depend
// on the task that has read them anyway, and so come after the earlier write.
#pragma once

#include "isa/Order/IntervalIndex.h"
#include "isa/Order/RegionShapes.h"

namespace tilerig::compiler {

class LiveBytes {
public:
  using Shape = RegionShapes::Shape;

  // For a read of `region`: calls visit(task) for every kept write that overlaps the region.
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
  // For a write of `region`: calls visit(task) for every kept read that overlaps the region, and drops the
  // reads that lie inside the region.
  template <class Visitor>
  void overwriteReads(const Region &region, Shape shape, RegionShapes &shapes, Visitor &&visit) {
    overwrite(reads, region, shape, shapes, visit);
  }
  // For a write of `region`: calls visit(task) for every kept write that overlaps the region, except for
  // writes whose bytes some task has read in full. Drops all writes that lie inside the region.
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

  // How many pairs of accesses have been compared.
  uint64_t comparisons() const { return numComparisons; }

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

  // Visits all accesses that overlap `region`. Drops those for which remove(range, live) returns true.
  template <class Visitor, class Remove>
  void visitAll(IntervalIndex<Live> &index, const Region &region, Shape shape, RegionShapes &shapes,
                Visitor &visit, Remove &&remove) {
    index.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
      ++numComparisons;
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

  // `writesInUse` are the writes whose bytes a single task has read in full.
  IntervalIndex<Live> reads, writes, writesInUse;
  uint64_t numComparisons = 0, comparisonsAtCollection = 0;
  // How many byte ranges have been added since the last pass that drops covered accesses; the next pass takes
  // about as many steps.
  uint64_t keptRuns = 0;
};

} // namespace tilerig::compiler
