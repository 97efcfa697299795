// Where in a tile's instructions what it computes in a turn is there: bands of a tensor may take each other's
// place, and so may images, so that "when the layer ends" would say nothing about them.
#pragma once

#include "compiler/Schedule/Task.h"
#include "isa/Program/Program.h"

#include <map>
#include <span>

namespace tilerig {

class TurnEnds {
public:
  // `sequence`: the order in which the tasks of the stage were put.
  void add(uint32_t stage, const TaskList &tasks, std::span<const uint32_t> sequence,
           const DeviceStage &code);
  // The index behind the last instruction that computes for the turn, of that image; 0 where none does.
  uint32_t of(uint32_t stage, unsigned tile, uint32_t turn, uint32_t image = 0) const;
  // Whether the stage has all of them, so that one place in its instructions tells when each is there.
  bool hasImages(uint32_t stage, uint32_t images) const;

private:
  struct Key {
    uint32_t stage, tile, turn, image;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, uint32_t> ends;
};

} // namespace tilerig
