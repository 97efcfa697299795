// A dependency graph of tasks in compressed adjacency form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilerig {

// A directed graph without cycles over tasks 0 .. n-1. In graphs of tasksOfStage() and of run plans, tasks precede only
// tasks of higher numbers; with captures, and in joined graphs, their numbers say nothing about their order.
struct TaskGraph {
  // For each task, index of its first entry in the list of successors; one more number marks the end of the
  // list.
  std::vector<uint32_t> firstSuccessor;
  std::vector<uint32_t> successors;
  std::vector<uint32_t> numPredecessors;

  uint32_t size() const { return static_cast<uint32_t>(numPredecessors.size()); }

  // Returns the graph with additional edges, each from its first to its second task.
  TaskGraph with(const std::vector<std::pair<uint32_t, uint32_t>> &edges) const;
  // Returns the graph in which the task leaders[t] has the edges of each task t. Tasks that are not their own leader have
  // none. There must be no path between tasks with the same leader.
  TaskGraph joined(const std::vector<uint32_t> &leaders) const;
  // Builds the graph from the list of predecessors of every task.
  static TaskGraph from(const std::vector<std::vector<uint32_t>> &predecessors);
};

} // namespace tilerig
