#include "tests/unit/Schedule/NetworkTasks.h"

namespace tilerig::test {
using namespace compiler;

TaskList tasksOf(const Program &program, bool markers) {
  const auto &tiles = std::get<DeviceStage>(program.stages[0].work).tiles;
  std::vector<size_t> next(tiles.size());
  TaskList tasks;
  for (bool more = true; std::exchange(more, false);)
    for (uint32_t tile = 0; tile < tiles.size(); ++tile)
      for (size_t &i = next[tile]; i < tiles[tile].size();) {
        const Instruction &instruction = tiles[tile][i++];
        if (!isControl(instruction) || (markers && std::holds_alternative<Marker>(instruction)))
          tasks.push_back({tile, instruction});
        if (std::holds_alternative<GlobalBarrier>(instruction)) {
          more = true;
          break;
        }
      }
  return tasks;
}

std::vector<ByteRange> constantsOf(const Program &program) {
  std::vector<ByteRange> ranges;
  for (const ConstantData &constant : program.constants)
    ranges.push_back({constant.address, constant.address + constant.bytes.size()});
  return ranges;
}

} // namespace tilerig::test
