// For each tile and each time step of the plan, the position in the tile's instruction list at which the
// results of that time step are complete. The end of the layer would be too late: by then a later band (some
// rows) of the tensor, or the next element of the batch, may have overwritten the results.
#pragma once

#include "compiler/Planning/Schedule/Task.h"
#include "isa/Program/Program.h"

#include <map>
#include <span>

namespace tilerig::compiler {

class TimeStepEnds {
public:
  // Records where each time step of a stage ends. `sequence`: the scheduled order of the tasks; `code`: the
  // instructions made of the tasks.
  void add(uint32_t stage, const TaskList &tasks, std::span<const uint32_t> sequence,
           const DeviceStage &code);
  // Index of the instruction behind the last one with which the tile computes results of the time step for
  // this image (element of the batch); 0 if it computes none.
  uint32_t of(uint32_t stage, unsigned tile, uint32_t timeStep, uint32_t image = 0) const;
  // Whether the stage computes all `images` images of a batch, so that each image is complete within this
  // stage.
  bool hasImages(uint32_t stage, uint32_t images) const;

private:
  struct Key {
    uint32_t stage, tile, timeStep, image;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, uint32_t> ends;
};

} // namespace tilerig::compiler
