#include "emulator/Fast/TaskGraph.h"

namespace tilerig {

TaskGraph TaskGraph::from(const std::vector<std::vector<uint32_t>> &predecessors) {
  TaskGraph graph;
  graph.firstSuccessor.resize(predecessors.size() + 1);
  for (const auto &needs : predecessors) {
    graph.numPredecessors.push_back(static_cast<uint32_t>(needs.size()));
    for (uint32_t need : needs)
      ++graph.firstSuccessor[need + 1];
  }
  for (size_t i = 1; i < graph.firstSuccessor.size(); ++i)
    graph.firstSuccessor[i] += graph.firstSuccessor[i - 1];
  graph.successors.resize(graph.firstSuccessor.back());
  std::vector<uint32_t> next(graph.firstSuccessor.begin(), graph.firstSuccessor.end() - 1);
  for (uint32_t task = 0; task < predecessors.size(); ++task)
    for (uint32_t need : predecessors[task])
      graph.successors[next[need]++] = task;
  return graph;
}

} // namespace tilerig
