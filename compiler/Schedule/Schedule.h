// A stage from its tasks: what depends on what, in which order, and how that is kept.
#pragma once

#include "compiler/Schedule/Order.h"
#include "compiler/Schedule/Synchronise.h"

#include <optional>

namespace tilerig {

struct ScheduleOptions {
  OrderOptions order = {};
  std::span<const ByteRange> constants = {}; // read-only bytes of DDR, ascending and disjoint
  SyncPlan *keptPlan = nullptr;              // where to leave the plan that the stage was made of
  Redundancy redundancy = Redundancy::removed;
};

// What depends on what, and how long it would take in the order that is found for it.
struct PlayedStage {
  Dependencies dependencies;
  TaskOrder order;
};

struct ScheduledStage {
  DeviceStage stage; // every tile's list ends with halt
  TaskOrder order;
  SyncCounts counts;
  DependencyStatistics dependencies;
};

// Refuses, as an error of our own, tasks that are none.
Result<PlayedStage> playStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                              const ScheduleOptions &options = {});

// `played`: the same tasks, with the same options, if they have been played already. The analyser's proof of
// the whole program is the check of what comes out.
Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options = {},
                                     std::optional<PlayedStage> played = std::nullopt);

} // namespace tilerig
