// From ordered tasks to the instructions of a stage, in which every dependency is kept.
//
// The cheapest means that suffices: nothing where the order of an engine's queue does it or what the engine
// has waited for before; a `sync` within a tile; a semaphore from tile to tile, and within a DMA engine,
// which cannot sync on itself. What an engine knows is followed through all tiles by vector clocks
// (Knowledge.h).
//
// That nothing waits for ever: all instructions of all tiles are made one after another, those that a task
// needs in front of it, and every tile's program is that sequence without the others' instructions. Each
// instruction waits only for such as stand before it in the sequence: a sync and a queue's order for earlier
// ones of the tile, a wait for a signal, which is made behind its task or just before the wait; members of a
// barrier stand next to each other. So the sequence itself is an execution: when an instruction's turn comes
// all before it have finished, all queues are empty, its sequencer stands at it, and what it waits for has
// happened. And where one execution comes to its end all do, because what is waited for never becomes untrue
// again. Full queues change nothing: they only make a sequencer wait for what is before its instruction in
// that sequence.
#pragma once

#include "compiler/Schedule/Dependencies.h"
#include "isa/Machine/Machine.h"
#include "isa/Program/Program.h"

namespace tilerig {

// edges = sameEngine + implied + locals + semaphores
struct SyncCounts {
  uint64_t edges = 0;      // dependencies
  uint64_t sameEngine = 0; // of these: kept by the order in their engine's queue
  uint64_t implied = 0;    // the engine has waited for enough already
  uint64_t locals = 0;     // a sync within the tile
  uint64_t semaphores = 0; // a wait
  uint64_t signals = 0;    // no more than waits: one may serve several engines of a tile
  uint64_t relays = 0;     // syncs of engines that signal for others: semaphores were short
  uint64_t barriers = 0;   // there were none at all
  bool operator==(const SyncCounts &) const = default;

  // Dependencies that an engine's queue does not keep, and what is left to wait for of them.
  uint64_t before() const { return edges - sameEngine; }
  uint64_t after() const { return locals + semaphores; }
  SyncCounts &operator+=(const SyncCounts &other);
};

struct SynchronisedStage {
  DeviceStage stage; // every tile's list ends with halt
  SyncCounts counts;
};

struct SyncPlan;

// `sequence` has all tasks, each behind all that it depends on. The result is the same on every host. `kept`
// gets what was planned, where it is given.
SynchronisedStage synchronise(const TaskList &tasks, const Dependencies &dependencies,
                              std::span<const uint32_t> sequence, const Machine &machine, unsigned tiles,
                              SyncPlan *kept = nullptr, Redundancy redundancy = Redundancy::removed);

} // namespace tilerig
