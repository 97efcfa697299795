// Accesses that a later one could still conflict with: the race check of a program that has none.
//
// Steps are taken in an order that respects happens-before. Each access is compared with those kept before it
// whose bytes may be the same: if they conflict and the clocks do not order them, there is a race; nearly
// always the clocks settle it, and the exact regions need not be looked at. As long as there is no race, an
// access can be forgotten when a later, ordered one of the same or stronger kind covers it (whatever would
// conflict with the old one conflicts with the new one as well), and when everything that is still to come in
// that memory is ordered after it.
#pragma once

#include "isa/Analyser/Clocks.h"
#include "isa/Analyser/IntervalIndex.h"
#include "isa/Analyser/RegionShapes.h"
#include "isa/Instructions/Access.h"

namespace tilerig {

// Whether an access of step `first` and one of step `second` may overlap in time: neither ends before the
// other begins. Steps of one instruction do not count: what an instruction does to itself is checked apart.
inline bool unordered(const Clocks &clocks, Event first, Event second) {
  return !clocks.before(first, second) && !clocks.before(second, first);
}
constexpr bool sameInstruction(Event first, Event second) {
  return first.ordinal == second.ordinal && tileOfThread(first.thread) == tileOfThread(second.thread) &&
         engineOfThread(first.thread) == engineOfThread(second.thread);
}

class LiveAccesses {
public:
  // `ended(thread)` is how many steps of a thread are going to be taken.
  LiveAccesses(const StageThreads &stage, const Clocks &clocks, std::vector<uint32_t> ended);

  // An access of the step that is being taken. False if it is in a race with an earlier one.
  bool add(Event step, const Access &access);
  // The step's accesses have all been added.
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
