// What tasks cost on a machine, looked up once, and what it costs to order two of them.
#pragma once

#include "compiler/Schedule/Dependencies.h"
#include "isa/Timing/Dma.h"

namespace tilerig {

class TaskCosts {
public:
  TaskCosts(const TaskList &tasks, const std::vector<EngineId> &engines, const Machine &machine);

  // With nothing in the way; 0 for markers and delays.
  uint64_t latencyCycles(uint32_t task) const { return costs[task].cycles; }
  // The phases, if it is a transfer.
  const Transfer *transfer(uint32_t task) const {
    return costs[task].transfer == none ? nullptr : &transfers[costs[task].transfer];
  }
  // From the end of the earlier task to the beginning of the later one, if they are ordered for it.
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

} // namespace tilerig
