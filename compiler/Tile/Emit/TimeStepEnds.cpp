#include "compiler/Tile/Emit/TimeStepEnds.h"

#include <cassert>
#include <set>

namespace tilerig::compiler {

namespace {

// Indices of those instructions of a tile that do the work of tasks, in order. Control instructions are left
// out.
std::vector<uint32_t> placesOfTasks(const std::vector<Instruction> &code) {
  std::vector<uint32_t> places;
  for (uint32_t index = 0; index < code.size(); ++index)
    if (!isControl(code[index]))
      places.push_back(index);
  return places;
}

} // namespace

void TimeStepEnds::add(uint32_t stage, const TaskList &tasks, std::span<const uint32_t> sequence,
                       const DeviceStage &code) {
  std::vector<std::vector<uint32_t>> places;
  for (const std::vector<Instruction> &tile : code.tiles)
    places.push_back(placesOfTasks(tile));
  std::vector<size_t> next(code.tiles.size());
  for (const uint32_t number : sequence) {
    const Task &task = tasks[number];
    if (isControl(task.instruction))
      continue;
    assert(next[task.tile] < places[task.tile].size() && "every task has become an instruction");
    const uint32_t place = places[task.tile][next[task.tile]++];
    if (!isDma(engineOf(task.instruction)) || std::holds_alternative<Gather>(task.instruction))
      ends[{stage, task.tile, task.timeStep, task.image}] = place + 1;
  }
}

uint32_t TimeStepEnds::of(uint32_t stage, unsigned tile, uint32_t timeStep, uint32_t image) const {
  const auto entry = ends.find({stage, tile, timeStep, image});
  return entry != ends.end() ? entry->second : 0;
}

bool TimeStepEnds::hasImages(uint32_t stage, uint32_t images) const {
  std::set<uint32_t> endedImages;
  for (auto entry = ends.lower_bound({stage, 0, 0, 0}); entry != ends.end() && entry->first.stage == stage;
       ++entry)
    endedImages.insert(entry->first.image);
  return endedImages.size() == images;
}

} // namespace tilerig::compiler
