// Happens-before of a stage: which steps are ordered in every execution, and whether the stage terminates.
//
// The steps are executed once, in any order that satisfies their needs. A need that is satisfied stays
// satisfied, so every execution gets equally far: if this one gets stuck, every one does. Each step joins the
// vector clocks of the steps that it needed. Two steps are then ordered exactly if their clocks say so.
#pragma once

#include "isa/Analyser/Clocks.h"

namespace tilerig {

struct SyncStatistics {
  uint64_t events = 0;   // syncs and waits that need the end of another step
  uint64_t capacity = 0; // instructions that need a free place in the queue before they can be issued
  uint64_t barriers = 0; // number of arrivals of tiles at barriers
  bool operator==(const SyncStatistics &) const = default;
};

enum class LackKind : uint8_t { nothing, event, sum, never };

class Order {
public:
  // The stage must outlive the order.
  explicit Order(const StageThreads &stage);

  bool complete() const { return stuck.empty(); }
  // Threads that have steps left but cannot continue, ascending.
  const std::vector<ThreadId> &stuckThreads() const { return stuck; }
  // Number of steps of the thread that have ended.
  uint32_t ended(ThreadId thread) const { return progress[thread]; }
  // Steps that access memory, in a topological order of happens-before.
  const std::vector<Event> &accessingSteps() const { return accessing; }
  const Clocks &clocks() const { return times; }
  // Syncs and waits that are redundant: the clocks order their event before them in any case.
  const std::vector<Event> &impliedSteps() const { return implied; }
  const SyncStatistics &statistics() const { return counts; }

  // What the next step of a thread still waits for. The thread must have a next step.
  struct Lack {
    LackKind kind = LackKind::nothing;
    Event event = {};
  };
  Lack lackOf(ThreadId thread) const;

private:
  void run();
  bool advance(ThreadId thread);
  void take(Event event, const Step &step);
  void satisfy(Clocks::Stamp &stamp, Event event, const Step &step);
  Lack lackOf(const Step &step) const;
  Lack lackOf(Event event) const {
    return progress[event.thread] < event.ordinal ? Lack{LackKind::event, event} : Lack{};
  }
  void sleepOn(ThreadId sleeper, const Step &step, const Lack &lack);
  void wake(ThreadId thread);
  void makeReady(ThreadId thread);

  struct Sleeper {
    ThreadId thread;
    uint32_t ordinal; // ordinal of the awaited step in the thread that it sleeps on
  };

  const StageThreads &stage;
  Clocks times;
  std::vector<uint32_t> progress;
  std::vector<std::vector<Sleeper>> sleepers; // indexed by the thread that they sleep on
  std::vector<ThreadId> ready;
  std::vector<bool> isReady;
  std::vector<uint32_t> meetings; // number of each meeting's joined clock, set by the first that leaves
  std::vector<Event> accessing, implied;
  std::vector<ThreadId> stuck;
  SyncStatistics counts;
};

} // namespace tilerig
