// Observers of a stage: captures that read memory and changes that overwrite it while the stage's
// instructions run.
//
// A capture is a task of its own: after the tasks that wrote its bytes, before the tasks that overwrite them.
// A change is run as part of the task that it follows, as if that task had written other values, so every
// later reader sees the changed values. In a host stage, all observers run at its end, changes first.
#pragma once

#include "emulator/Fast/Completions.h"
#include "isa/RunPlan/Origins.h"

namespace tilerig::emulator {

// A capture of a piece of a tensor: copies its bytes at the time that `completion` describes.
struct Capture {
  Completion completion;
  MemoryId memory;
  std::vector<Region> regions;
  StridedCopy copy;
};
// A replacement of computed values by values that the caller supplies.
struct Change {
  // Task after which the replacement is made; if absent, the replacement comes before all tasks of the stage.
  std::optional<uint32_t> after;
  MemoryId memory;
  std::vector<Region> regions;
  StridedCopy copy;
  // If true, this change overwrites nothing. It copies the computed values for a capture, before another
  // change overwrites them.
  bool onlyLooks = false;
};

struct StageObservers {
  std::vector<Capture> captures;
  std::vector<Change> changes;
};

// The bytes that the observers of a stage read and replace, for copy elimination.
std::vector<ObservedBytes> observedBytes(const StageObservers &observers);

// Returns the task graph with one additional task for each capture; their numbers begin at graph.size().
TaskGraph withCaptures(const TaskGraph &graph, const std::vector<Capture> &captures);

} // namespace tilerig::emulator
