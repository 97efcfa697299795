#include "emulator/Fast/Observers.h"

namespace tilerig::emulator {

TaskGraph withCaptures(const TaskGraph &graph, const std::vector<Capture> &captures) {
  std::vector<std::vector<uint32_t>> predecessors(graph.size());
  for (uint32_t task = 0; task < graph.size(); ++task)
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i)
      predecessors[graph.successors[i]].push_back(task);
  for (const Capture &capture : captures) {
    const auto self = static_cast<uint32_t>(predecessors.size());
    for (uint32_t task : capture.completion.before)
      predecessors[task].push_back(self);
    predecessors.push_back(capture.completion.needs);
  }
  return TaskGraph::from(predecessors);
}

} // namespace tilerig::emulator
