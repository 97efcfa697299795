#include "isa/RunPlan/TaskGraph.h"

#include <algorithm>

namespace tilerig {

TaskGraph TaskGraph::with(const std::vector<std::pair<uint32_t, uint32_t>> &edges) const {
  if (edges.empty())
    return *this;
  std::vector<std::vector<uint32_t>> predecessors(size());
  for (uint32_t task = 0; task < size(); ++task)
    for (uint32_t i = firstSuccessor[task]; i < firstSuccessor[task + 1]; ++i)
      predecessors[successors[i]].push_back(task);
  for (const auto &[before, after] : edges)
    predecessors[after].push_back(before);
  return from(predecessors);
}

TaskGraph TaskGraph::joined(const std::vector<uint32_t> &leaders) const {
  std::vector<std::vector<uint32_t>> predecessors(size());
  for (uint32_t task = 0; task < size(); ++task)
    for (uint32_t i = firstSuccessor[task]; i < firstSuccessor[task + 1]; ++i)
      predecessors[leaders[successors[i]]].push_back(leaders[task]);
  for (auto &needs : predecessors) {
    std::ranges::sort(needs);
    const auto rest = std::ranges::unique(needs);
    needs.erase(rest.begin(), rest.end());
  }
  return from(predecessors);
}

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
