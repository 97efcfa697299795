// Synchronisation planning: decides, before instructions exist, which dependencies need synchronisation and
// by which mechanism.
#pragma once

#include "compiler/Planning/Schedule/Channels.h"
#include "compiler/Planning/Schedule/Synchronise.h"

namespace tilerig::compiler {

enum class SyncActionKind : uint8_t {
  task,         // `task` is issued
  sync,         // `engine` waits for the end of task `source`, which runs on the same tile
  blockingSync, // the tile's sequencer waits for the end of task `source`
  wait,         // `engine` waits for the signal that follows task `source`
  relay,        // engine `signaller` signals behind all its tasks so far, `engine` waits for that signal
  barrier,      // all tiles in the bit mask `tiles` meet at a barrier
};

struct SyncAction {
  SyncActionKind kind = SyncActionKind::task;
  // for kind `task`, the task to issue; for the other kinds, the task in front of which this action stands
  uint32_t task = 0;
  uint32_t source = 0;
  EngineId engine = noEngine, signaller = noEngine;
  uint64_t tiles = 0;
};

struct SyncPlan {
  std::vector<SyncAction> actions; // the synchronisation actions of all tiles, in one sequence
  // For each task, a bit mask of the tiles to which a signal follows the task.
  std::vector<uint64_t> signalTo;
  SyncCounts counts;
};

// Plans the synchronisation of tasks in this order. Counts in `channels` which engine signals which tile, and
// obeys the limits of `channels` if they are set.
SyncPlan planSync(const TaskList &tasks, const Dependencies &dependencies, const TaskOrder &order,
                  unsigned tiles, Channels &channels, Redundancy redundancy = Redundancy::removed);

} // namespace tilerig::compiler
