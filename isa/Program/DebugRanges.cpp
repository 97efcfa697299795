#include "isa/Program/DebugRanges.h"

#include "isa/Instructions/Instruction.h"

namespace tilerig {

void describeRanges(Program &program) {
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work);
    for (uint32_t tile = 0; device && tile < device->tiles.size(); ++tile) {
      const std::vector<Instruction> &list = device->tiles[tile];
      for (uint32_t begin = 0, end = 0; begin < list.size(); begin = end) {
        for (end = begin + 1; end < list.size() && layerOf(list[end]) == layerOf(list[begin]) &&
                              mnemonicOf(list[end]) == mnemonicOf(list[begin]);)
          ++end;
        proto::DebugRange &range = *program.metadata.add_debug();
        range.set_layer(layerOf(list[begin]));
        range.set_primitive(std::string(mnemonicOf(list[begin])));
        range.set_stage(stage);
        range.set_tile(tile);
        range.set_begin(begin);
        range.set_end(end);
      }
    }
  }
}

} // namespace tilerig
