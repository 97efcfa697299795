// For each time step of a tile the point in its instruction list where the results of that step are complete.
// "When the layer ends" would be too late: a later band of the tensor, or the next image, may reuse the
// memory before.
#pragma once

#include "compiler/Schedule/Task.h"
#include "isa/Program/Program.h"

#include <map>
#include <span>

namespace tilerig::compiler {

class TurnEnds {
public:
  // Records the ends of a stage. `sequence`: the scheduled order of its tasks; `code`: the instructions made
  // of them.
  void add(uint32_t stage, const TaskList &tasks, std::span<const uint32_t> sequence,
           const DeviceStage &code);
  // Index behind the last instruction that computes for the time step and image; 0 if no instruction does.
  uint32_t of(uint32_t stage, unsigned tile, uint32_t turn, uint32_t image = 0) const;
  // Whether the stage computes exactly `images` images, so that each of them has its end within this stage.
  bool hasImages(uint32_t stage, uint32_t images) const;

private:
  struct Key {
    uint32_t stage, tile, turn, image;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, uint32_t> ends;
};

} // namespace tilerig::compiler
