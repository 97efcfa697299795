// Builds the task graph of a stage for fast mode: tasks are the instructions that compute or move data, and
// edges are the happens-before relation that the program's synchronisation implies.
//
// The order of the stage's steps is that of the analyser's vector clocks (isa/Analyser/Order.h). A task gets edges from
// the nearest tasks that precede it: the last of each thread, unless another of these, or the previous task of its own
// thread, follows it. Control instructions are not in the graph. If more than 64 tasks precede one, as at a barrier, an
// empty task stands for them.
//
// A transfer is one task: nothing that conflicts with its read can come between its read and its write.
#pragma once

#include "isa/Order/Threads.h"
#include "isa/RunPlan/TaskGraph.h"

#include <memory>

namespace tilerig {

// Position of an instruction in the program.
struct InstructionPlace {
  uint32_t stage = 0, tile = 0, index = 0;
  bool operator==(const InstructionPlace &) const = default;
};

// The order of a stage's tasks, for questions about any two of them.
class TaskOrder {
public:
  virtual ~TaskOrder() = default;
  // Whether the graph of tasksOfStage() orders these two tasks. Neither may be an empty task.
  virtual bool precedes(uint32_t first, uint32_t second) const = 0;
};

struct StageTasks {
  // The index of a task that stands for no instruction of the program.
  static constexpr uint32_t emptyTask = UINT32_MAX;
  std::vector<InstructionPlace> places; // position in the program of each task's instruction
  TaskGraph graph;
  std::shared_ptr<const TaskOrder> order; // null if it is not known
};

// Returns the tasks of a device stage and their graph. The program must be proved free of races.
StageTasks tasksOfStage(const Program &program, uint32_t stage);

} // namespace tilerig
