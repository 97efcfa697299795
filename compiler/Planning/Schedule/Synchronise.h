// Synchronisation: turns ordered tasks into the instructions of a stage in which every dependency is kept.
//
// Each dependency gets the cheapest mechanism that suffices. It needs none if the order in an engine's queue
// or an earlier wait implies it. Within a tile a `sync` instruction is enough. From tile to tile a semaphore
// is used, and also within a DMA engine, which cannot sync on itself. To find out which dependencies earlier
// waits imply, vector clocks (Knowledge.h) track what each engine knows to have ended, across all tiles.
//
// Freedom from deadlock: the instructions of all tiles are generated as one sequence, and each tile's program
// consists of its own instructions in that sequence. Every instruction waits only for instructions earlier in
// the sequence: a sync for earlier ones of its tile; a wait for a signal, which is generated behind its task
// or just before the wait; and the members of a barrier stand next to each other. So the sequence itself is a
// valid execution: when it reaches an instruction, all earlier ones have finished, all queues are empty, and
// the awaited event has happened. If one execution terminates, all do, because an awaited condition never
// becomes false again. Full queues change nothing: they make a sequencer wait only for earlier instructions.
#pragma once

#include "compiler/Planning/Schedule/Order.h"
#include "isa/Machine/Machine.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// How many dependencies each synchronisation mechanism keeps. Each dependency (`edges` in all) is counted
// once among `sameEngine`, `implied`, `locals` and `semaphores`.
struct SyncCounts {
  uint64_t edges = 0;      // dependencies
  uint64_t sameEngine = 0; // dependencies that hold because an engine runs its queue in order
  uint64_t implied = 0;    // number of dependencies implied by earlier waits of the engine
  uint64_t locals = 0;     // number of dependencies kept by a sync within the tile
  uint64_t semaphores = 0; // number of dependencies kept by a semaphore wait
  uint64_t signals = 0;    // number of signals sent; one signal may serve several engines of a tile
  uint64_t relays = 0;     // number of syncs of engines that signal for others of their tile
  uint64_t barriers = 0;   // number of barriers, for tiles left without any semaphore
  bool operator==(const SyncCounts &) const = default;

  // Number of dependencies to synchronise, before and after redundant ones are removed; those that the order
  // in an engine's queue already keeps are not counted.
  uint64_t before() const { return edges - sameEngine; }
  uint64_t after() const { return locals + semaphores; }
  SyncCounts &operator+=(const SyncCounts &other);
};

struct SynchronisedStage {
  DeviceStage stage; // the list of instructions of every tile ends with halt
  SyncCounts counts;
};

struct SyncPlan;

// Makes the stage. `order` has all tasks in topological order, with their times. `kept`, if given, receives the
// synchronisation plan. The result is the same on every host.
SynchronisedStage synchronise(const TaskList &tasks, const Dependencies &dependencies, const TaskOrder &order,
                              const Machine &machine, unsigned tiles, SyncPlan *kept = nullptr,
                              Redundancy redundancy = Redundancy::removed);

} // namespace tilerig::compiler
