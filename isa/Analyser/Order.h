// The happens-before order of a stage: which steps (executions of one instruction on one thread) are ordered
// in every execution, and whether the stage terminates.
//
// The steps are executed once, without computing values, in any order that satisfies their needs (the
// conditions for which they wait). A need that is satisfied stays satisfied, so every execution gets equally
// far: if this execution gets stuck, every execution does. Each step joins the vector clocks of the steps
// that it waited for. Two steps are then ordered exactly if their clocks say so.
#pragma once

#include "isa/Analyser/Clocks.h"

namespace tilerig {

struct SyncStatistics {
  uint64_t events = 0; // number of syncs and waits that wait for the end of another step
  // Number of instructions that are issued to a queue only when an earlier instruction has left it.
  uint64_t capacity = 0;
  uint64_t barriers = 0; // number of arrivals of tiles at barriers
  bool operator==(const SyncStatistics &) const = default;
};

enum class LackKind : uint8_t { nothing, event, sum, never };

class Order {
public:
  // Computes the order of a stage's steps. The stage must outlive this object.
  explicit Order(const StageThreads &stage);

  bool complete() const { return stuck.empty(); }
  // Threads that a deadlock stops: they have steps left but cannot continue. Sorted in ascending order.
  const std::vector<ThreadId> &stuckThreads() const { return stuck; }
  // Number of steps of the thread that have ended.
  uint32_t ended(ThreadId thread) const { return progress[thread]; }
  // Steps that access memory, in a topological order of happens-before.
  const std::vector<Event> &accessingSteps() const { return accessing; }
  const Clocks &clocks() const { return times; }
  // Redundant syncs and waits: the other synchronisation of the program already implies the order that they
  // establish.
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
    uint32_t ordinal; // number of the awaited step, counted in the thread that executes the step
  };

  const StageThreads &stage;
  Clocks times;
  std::vector<uint32_t> progress;
  // By thread: the other threads that sleep until a certain step of this thread has ended.
  std::vector<std::vector<Sleeper>> sleepers;
  std::vector<ThreadId> ready;
  std::vector<bool> isReady;
  // By barrier: number of the shared clock part (Clocks.h) that joins the clocks of all arrivals. It is set
  // when the first thread leaves the barrier.
  std::vector<uint32_t> meetings;
  std::vector<Event> accessing, implied;
  std::vector<ThreadId> stuck;
  SyncStatistics counts;
};

} // namespace tilerig
