// One instruction of a tile that computes or moves, before it is ordered.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <vector>

namespace tilerig {

struct Task {
  uint32_t tile = 0;
  Instruction instruction;
};
// In an order that is right if each begins after all before it have ended.
using TaskList = std::vector<Task>;

} // namespace tilerig
