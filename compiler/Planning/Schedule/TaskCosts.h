// Costs of tasks on a machine, computed once for all tasks: latency, transfer phases, and the cost of a
// synchronisation between two tasks.
#pragma once

#include "compiler/Planning/Schedule/Dependencies.h"
#include "isa/Timing/Dma.h"

namespace tilerig::compiler {

class TaskCosts {
public:
  TaskCosts(const TaskList &tasks, const std::vector<EngineId> &engines, const Machine &machine);

  // Cycles that the task takes if it shares no resource with other tasks; 0 for markers and delays.
  uint64_t latencyCycles(uint32_t task) const { return costs[task].cycles; }
  // Read and write phase of a task that transfers data; null for any other task.
  const Transfer *transfer(uint32_t task) const {
    return costs[task].transfer == none ? nullptr : &transfers[costs[task].transfer];
  }
  // Cycles that a synchronisation takes, from the end of the earlier task to the earliest start of the later
  // one; 0 if the order in their engine's queue is enough.
  uint64_t syncCycles(const Dependency &dependency, EngineId before, EngineId after) const;

private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Cost {
    uint64_t cycles = 0;
    uint32_t transfer = none;
  };

  const Machine &machine;
  std::vector<Cost> costs;
  std::vector<Transfer> transfers;
};

} // namespace tilerig::compiler
