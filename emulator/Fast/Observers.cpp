#include "emulator/Fast/Observers.h"

namespace tilerig::emulator {

std::vector<ObservedBytes> observedBytes(const StageObservers &observers) {
  std::vector<ObservedBytes> bytes;
  for (const Change &change : observers.changes)
    bytes.push_back({.kind = change.onlyLooks ? ObservedBytes::copied : ObservedBytes::replaced,
                     .after = change.after,
                     .memory = change.memory,
                     .regions = change.regions});
  for (const Capture &capture : observers.captures)
    bytes.push_back(
        {.after = capture.completion.after, .memory = capture.memory, .regions = capture.regions});
  return bytes;
}

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
