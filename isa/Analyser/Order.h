// What of a stage is ordered in every execution, and whether it comes to an end.
//
// The steps are run once, in any order that their needs allow. What a step needs never becomes untrue again,
// so every execution gets equally far: where this one stops, all do. And each step takes over the clocks of
// the steps that it needed, so that afterwards two steps are ordered exactly if the clocks say so.
#pragma once

#include "isa/Analyser/Clocks.h"

namespace tilerig {

struct SyncStatistics {
  uint64_t events = 0;   // syncs and waits that need the end of another step
  uint64_t capacity = 0; // issues that need a place in a full queue
  uint64_t barriers = 0; // comings of tiles to barriers
  bool operator==(const SyncStatistics &) const = default;
};

enum class LackKind : uint8_t { nothing, event, sum, never };

class Order {
public:
  // The stage must outlive the order.
  explicit Order(const StageThreads &stage);

  bool complete() const { return stuck.empty(); }
  // Threads that cannot end, ascending.
  const std::vector<ThreadId> &stuckThreads() const { return stuck; }
  // How many steps of the thread have ended.
  uint32_t ended(ThreadId thread) const { return progress[thread]; }
  // Steps that access memory, each after all that are ordered before it.
  const std::vector<Event> &accessingSteps() const { return accessing; }
  const Clocks &clocks() const { return times; }
  // Syncs and waits whose event was known to have ended without them.
  const std::vector<Event> &impliedSteps() const { return implied; }
  const SyncStatistics &statistics() const { return counts; }

  // What the next step of a thread that has one still lacks.
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
    uint32_t ordinal; // of the thread it sleeps on
  };

  const StageThreads &stage;
  Clocks times;
  std::vector<uint32_t> progress;
  std::vector<std::vector<Sleeper>> sleepers; // by the thread that they sleep on
  std::vector<ThreadId> ready;
  std::vector<bool> isReady;
  std::vector<uint32_t> meetings; // the clock of a meeting, from the first that leaves
  std::vector<Event> accessing, implied;
  std::vector<ThreadId> stuck;
  SyncStatistics counts;
};

} // namespace tilerig
