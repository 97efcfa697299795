// Which dependencies need synchronisation, and what does it: the decisions, before there are instructions.
#pragma once

#include "compiler/Schedule/Channels.h"
#include "compiler/Schedule/Synchronise.h"

namespace tilerig {

enum class SyncActionKind : uint8_t {
  task,         // `task` comes
  sync,         // `engine` waits for `source`, of its own tile
  blockingSync, // the tile's sequencer waits for `source`
  wait,         // `engine` waits for the signal behind `source`
  relay,        // `signaller` signals what it has done so far, and `engine` waits for that
  barrier,      // `tiles` meet
};

struct SyncAction {
  SyncActionKind kind = SyncActionKind::task;
  uint32_t task = 0; // for which it is done
  uint32_t source = 0;
  EngineId engine = noEngine, signaller = noEngine;
  uint64_t tiles = 0;
};

struct SyncPlan {
  std::vector<SyncAction> actions; // one after the other, of all tiles
  std::vector<uint64_t> signalTo;  // of each task: bit t set: a signal to tile t stands behind it
  SyncCounts counts;
};

// Notes in `channels` who has something for whom, and keeps to its limits if it has some.
SyncPlan planSync(const TaskList &tasks, const Dependencies &dependencies, std::span<const uint32_t> sequence,
                  unsigned tiles, Channels &channels, Redundancy redundancy = Redundancy::removed);

} // namespace tilerig
