// Builds the task graph of a stage for fast mode: tasks are the instructions that compute or move data, and
// edges are the happens-before relation that the program's synchronisation implies.
//
// The steps of the stage (see isa/Order/Threads.h) are visited once in topological order. For each step, the
// pass keeps the last preceding task of each thread, as in a vector clock; the tasks of a thread run in
// sequence. Control instructions are not in the graph. A barrier is represented by an empty task, so that the
// number of edges does not become quadratic.
//
// A transfer is one task: nothing that conflicts with its read can come between its read and its write.
#pragma once

#include "isa/Order/Threads.h"
#include "isa/RunPlan/TaskGraph.h"

namespace tilerig {

// Position of an instruction in the program.
struct InstructionPlace {
  uint32_t stage = 0, tile = 0, index = 0;
  bool operator==(const InstructionPlace &) const = default;
};

struct StageTasks {
  // The index of a task that stands for no instruction of the program.
  static constexpr uint32_t emptyTask = UINT32_MAX;
  std::vector<InstructionPlace> places; // position in the program of each task's instruction
  TaskGraph graph;
};

// Returns the tasks of a device stage and their graph. The program must be proved free of races.
StageTasks tasksOfStage(const Program &program, uint32_t stage);

} // namespace tilerig
