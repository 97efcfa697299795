// The scheduler of a device stage: finds the dependencies between its tasks, orders and synchronises the
// tasks, and counts the stage's cycles.
#pragma once

#include "compiler/Planning/Schedule/Order.h"
#include "compiler/Planning/Schedule/Synchronise.h"

namespace tilerig::compiler {

struct ScheduleOptions {
  OrderOptions order = {};
  std::span<const ByteRange> constants = {}; // read-only byte ranges of DDR, ascending and disjoint
  SyncPlan *keptPlan = nullptr;              // if not null, receives the synchronisation plan of the stage
  Redundancy redundancy = Redundancy::removed;
};

struct ScheduledStage {
  DeviceStage stage;   // the list of instructions of every tile ends with halt
  uint64_t cycles = 0; // exact number of cycles on the machine, by isa/Timeline
  TaskOrder order;
  SyncCounts counts;
  DependencyStatistics dependencies;
};

// The data dependencies between the tasks. Returns an internal error for an instruction that is not a task,
// or a tile that does not exist.
Result<Dependencies> dependenciesOf(const TaskList &tasks, unsigned tiles,
                                    const ScheduleOptions &options = {});

// Builds the stage from tasks whose dependencies and order are known. The result is not checked here: later
// the analyser proves the whole program free of races.
Result<ScheduledStage> finishStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                   const Dependencies &dependencies, TaskOrder order,
                                   const ScheduleOptions &options = {});

// Cycles that the stage takes on the machine, as the emulator would count them. The stage is not changed.
uint64_t cyclesOf(DeviceStage &stage, const Machine &machine, unsigned tiles);

// Makes a stage from tasks in one call: finds their dependencies, orders them, and synchronises them.
Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options = {});

} // namespace tilerig::compiler
