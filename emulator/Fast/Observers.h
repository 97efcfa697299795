// Those who look at memory, or change it, while a stage runs, beside its instructions.
//
// Who looks is a task of its own: after those that wrote what it looks at, before those that write there
// next. A change belongs to the task that it follows, as if that had written other values: so whoever reads
// them later reads the changed ones, however soon it comes. In a stage of the host all happens at its end,
// changes first.
#pragma once

#include "emulator/Fast/Moments.h"
#include "emulator/Fast/TaskGraph.h"

namespace tilerig {

struct Look {
  Moment moment;
  MemoryId memory;
  std::vector<Region> regions;
  StridedCopy copy;
};
struct Change {
  std::optional<uint32_t> after; // none: before all tasks
  MemoryId memory;
  std::vector<Region> regions;
  StridedCopy copy;
  bool onlyLooks = false; // at what a change that comes next would hide
};

struct StageObservers {
  std::vector<Look> looks;
  std::vector<Change> changes;
};

// The graph with a task more for each look, in their order, numbered from graph.size() on.
TaskGraph withLooks(const TaskGraph &graph, const std::vector<Look> &looks);

} // namespace tilerig
