// In which order the tasks of a stage are handed to the engines: list scheduling.
//
// The tasks are played through on the machine: POD and PE one by one, DMA engines in their two phases, DDR,
// its ports and the links shared, synchronisation at its price. Whenever an engine is free it takes, of the
// tasks that could begin, the one with the most work behind it (the longest chain of dependent tasks to the
// end). So loads run ahead as far as the reuse of memory allows, and those first that are needed first.
//
// A tile's list is sorted by the time at which its tasks begin. The sequencer, which walks it in order and
// stops at a full queue, then never keeps from an engine what that engine could have begun: what stands
// behind a task begins no earlier than it.
//
// Markers and delays have no bytes, so nothing would hold them: they go with the next task of their engine
// (of their tile, if they are the sequencer's), the end of a layer with the one before.
#pragma once

#include "compiler/Schedule/Dependencies.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

namespace tilerig {

struct OrderOptions {
  bool reorder = true; // else as they are listed: to see what order gains
};

struct TaskTime {
  uint64_t start = 0, end = 0; // cycles, as estimated
};

struct TaskOrder {
  std::vector<uint32_t> sequence; // all tasks, each behind all that it depends on
  std::vector<TaskTime> times;    // by task
  uint64_t cycles = 0;            // when the last one ends
};

// The same for the same tasks, on every host.
TaskOrder orderTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                     const OrderOptions &options = {});

// Every task stands in the sequence once, behind all that it depends on.
Status verifyOrder(const Dependencies &dependencies, std::span<const uint32_t> sequence);

} // namespace tilerig
