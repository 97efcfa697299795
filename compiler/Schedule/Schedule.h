// A stage from its tasks: what depends on what, in which order, and how that is kept.
#pragma once

#include "compiler/Schedule/Order.h"
#include "compiler/Schedule/Synchronise.h"

namespace tilerig {

struct ScheduleOptions {
  OrderOptions order = {};
  std::span<const ByteRange> constants = {}; // read-only bytes of DDR, ascending and disjoint
  SyncPlan *keptPlan = nullptr;              // where to leave the plan that the stage was made of
  Redundancy redundancy = Redundancy::removed;
};

struct ScheduledStage {
  DeviceStage stage; // every tile's list ends with halt
  TaskOrder order;
  SyncCounts counts;
  DependencyStatistics dependencies;
};

// Refuses, as an error of our own, tasks that are none. The analyser's proof of the whole program is the
// check of what comes out.
Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options = {});

// Only how long it would take, in the order that it would be given.
Result<uint64_t> playStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                           const ScheduleOptions &options = {});

} // namespace tilerig
