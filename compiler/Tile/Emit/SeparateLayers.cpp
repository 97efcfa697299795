#include "compiler/Tile/Emit/SeparateLayers.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace tilerig::compiler {

namespace {

bool isLoad(const Task &task) {
  if (const auto *multicast = std::get_if<Multicast>(&task.instruction))
    return multicast->source.space == Space::ddr;
  return std::holds_alternative<Load>(task.instruction);
}

class Separator {
public:
  void add(ProgramPart part) {
    if (part.host || part.phase != Phase::inference) {
      parts.push_back(std::move(part));
      return;
    }
    for (Task &task : part.tasks) {
      const uint32_t layer = layerOf(task.instruction);
      if (isLoad(task))
        waiting[layer].push_back(std::move(task));
      else
        append(layer, std::move(task));
    }
  }

  std::vector<ProgramPart> finish() {
    assert(std::ranges::all_of(waiting, [](const auto &entry) { return entry.second.empty(); }) &&
           "every layer that loads data also computes");
    return std::move(parts);
  }

private:
  void append(uint32_t layer, Task task) {
    if (parts.empty() || parts.back().host || parts.back().phase != Phase::inference ||
        layerOf(parts.back().tasks.back().instruction) != layer)
      parts.emplace_back();
    TaskList &tasks = parts.back().tasks;
    tasks.insert(tasks.end(), waiting[layer].begin(), waiting[layer].end());
    waiting[layer].clear();
    tasks.push_back(std::move(task));
  }

  std::vector<ProgramPart> parts;
  std::map<uint32_t, TaskList> waiting; // for each layer, its loads that have not been put into a stage yet
};

} // namespace

std::vector<ProgramPart> separateLayers(std::vector<ProgramPart> parts) {
  Separator separator;
  for (ProgramPart &part : parts)
    separator.add(std::move(part));
  return separator.finish();
}

} // namespace tilerig::compiler
