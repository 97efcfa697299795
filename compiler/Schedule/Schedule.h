// A stage from its tasks: what depends on what, in which order, how that is kept, and what it takes.
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
  DeviceStage stage;   // every tile's list ends with halt
  uint64_t cycles = 0; // what it takes on the machine, by the clock of isa/Timeline
  TaskOrder order;
  SyncCounts counts;
  DependencyStatistics dependencies;
};

// Refuses, as an error of our own, tasks that are none.
Result<Dependencies> dependenciesOf(const TaskList &tasks, unsigned tiles,
                                    const ScheduleOptions &options = {});

// The stage of tasks whose dependencies and order are known. The analyser's proof of the whole program is the
// check of what comes out.
Result<ScheduledStage> finishStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                   const Dependencies &dependencies, TaskOrder order,
                                   const ScheduleOptions &options = {});

// What a stage takes on the machine, as the emulator would time it. The stage is as it was afterwards.
uint64_t cyclesOf(DeviceStage &stage, const Machine &machine, unsigned tiles);

// All of it.
Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options = {});

} // namespace tilerig
