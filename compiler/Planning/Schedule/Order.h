// Task ordering: in which order the tasks of a stage are issued to the engines, with estimated start and end
// times.
//
// The tasks are simulated on the machine: the POD (matrix engine) and the PE (vector engine) run one task at
// a time, DMA engines have two phases, transfers share DDR, its ports and the links, and each dependency
// costs a semaphore. The simulation gives every task a start time. A tile's list may be left unchanged or
// sorted by start time. In a sorted list, a full queue delays no task that could have begun, since all later
// tasks begin no earlier. Engines take their tasks as listed, or by list scheduling: a free engine takes the
// ready task with the highest priority, which is the longest chain of dependent tasks behind it (critical
// path).
//
// Markers and delays access no bytes, so no dependency holds them in place. In a sorted list they stay beside
// a neighbouring task (Attachments.h).
//
// The machine shares DDR evenly among all requests. So reads of DDR in flight may be limited (TransferLimit.h):
// the most urgent come first, and each waits for the end of an earlier one. Low-priority writes to DDR
// (Task::isPatient) may be limited as well, which leaves most of DDR to reads.
//
// Tasks of equal priority take turns among the DDR ports, because a port has only a part of DDR's bandwidth,
// and tiles with neighbouring numbers use the same port.
#pragma once

#include "compiler/Planning/Schedule/Dependencies.h"
#include "compiler/Planning/Schedule/TransferLimit.h"
#include "isa/Base/Support/Error.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

enum class OrderMode : uint8_t {
  listed,      // the task list of each tile is left unchanged
  interleaved, // task lists are sorted by start time; each engine takes its tasks in listed order
  reordered,   // task lists are sorted by start time; engines take the ready task with the highest priority
};

// How concurrent transfers share DDR, its ports and the links when the tasks are simulated.
enum class TransferSharing : uint8_t {
  roundRobin, // transfers take turns chunk by chunk, as on the machine
  firstCome,  // each transfer completes before the next one begins
};

struct OrderOptions {
  OrderMode mode = OrderMode::listed; // README.md explains why the order `listed` is the default
  TransferSharing sharing = TransferSharing::firstCome;
  MostInFlight ddrReads = {};
  MostInFlight ddrWrites = {}; // of low priority (Task::isPatient)
};

struct TaskTime {
  uint64_t start = 0, end = 0; // estimated cycles
};

struct TaskPair {
  uint32_t before = 0, after = 0;
};

struct TaskOrder {
  std::vector<uint32_t> sequence; // all tasks of the stage, in topological order
  std::vector<TaskTime> times;    // by task
  // estimated cycle at which the last task ends; Schedule.h computes the exact number
  uint64_t cycles = 0;
  // Additional dependencies that limit the number of concurrent DDR transfers: the transfer `before` has to
  // end before the transfer `after` begins.
  std::vector<TaskPair> transferEdges;
};

// Orders the tasks of a stage; the order is the same on every host. With OrderMode::listed the limits of
// transfers in flight are ignored.
TaskOrder orderTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                     const OrderOptions &options = {});

// Checks that the sequence contains every task of the stage once, in topological order.
Status verifyOrder(const Dependencies &dependencies, std::span<const uint32_t> sequence);

} // namespace tilerig::compiler
