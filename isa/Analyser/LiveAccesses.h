// The fast race check: detects whether a stage has any race, keeping only accesses that can still conflict.
//
// Steps are processed in an order that respects happens-before. Each access is compared with the stored
// earlier ones whose bytes may overlap: if they conflict and the vector clocks do not order them, there is a
// race. Nearly always the clocks decide, and the exact regions need not be compared. As long as no race was
// found, a stored access can be forgotten in two cases. First, a later write that is ordered after it covers
// all its bytes (or a later read, if the stored access is a read). Second, all future accesses to that memory
// are ordered after it.
#pragma once

#include "isa/Analyser/Clocks.h"
#include "isa/Instructions/Access.h"
#include "isa/Order/IntervalIndex.h"
#include "isa/Order/RegionShapes.h"

namespace tilerig {

// Whether two steps may overlap in time: neither ends before the other begins. The caller must exclude steps
// of the same instruction (sameInstruction()), whose overlap is checked in SelfOverlap.h.
inline bool unordered(const Clocks &clocks, Event first, Event second) {
  return !clocks.before(first, second) && !clocks.before(second, first);
}
constexpr bool sameInstruction(Event first, Event second) {
  return first.ordinal == second.ordinal && tileOfThread(first.thread) == tileOfThread(second.thread) &&
         engineOfThread(first.thread) == engineOfThread(second.thread);
}

class LiveAccesses {
public:
  // `ended[thread]` is the number of steps that the thread executes: all its steps, or fewer in a deadlock.
  LiveAccesses(const StageThreads &stage, const Clocks &clocks, std::vector<uint32_t> ended);

  // Adds an access of `step`, the step that is being processed. Returns false if the access races with an
  // earlier one.
  bool add(Event step, const Access &access);
  // Marks the step as done; must be called after all accesses of the step have been added.
  void finish(Event step) { taken[step.thread] = step.ordinal; }

private:
  struct Live {
    Event step;
    bool write = false;
    RegionShapes::Shape shape = RegionShapes::run;
  };
  struct Memory {
    IntervalIndex<Live> live;
    size_t collectAt = 64;
  };

  void collect(MemoryId memory);
  uint32_t frontier(const std::vector<Event> &nextSteps, ThreadId of) const;

  const StageThreads &stage;
  const Clocks &clocks;
  std::vector<uint32_t> ended, taken;
  std::vector<Memory> memories;
  RegionShapes shapes;
};

} // namespace tilerig
