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
        const Instruction &it = tiles[tile][i++];
        if (!isControl(it) || (markers && std::holds_alternative<Marker>(it)))
          tasks.push_back({tile, it});
        if (std::holds_alternative<GlobalBarrier>(it)) {
          more = true;
          break;
        }
      }
  return tasks;
}

std::vector<ByteRange> constantsOf(const Program &program) {
  std::vector<ByteRange> ranges;
  for (const ConstantData &it : program.constants)
    ranges.push_back({it.address, it.address + it.bytes.size()});
  return ranges;
}

} // namespace tilerig::test
