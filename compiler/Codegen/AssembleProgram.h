// Ordered instructions, constants and what is known about them, as a program.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Codegen/TileLevel.h"
#include "compiler/Schedule/Order.h"
#include "isa/Program/Program.h"

namespace tilerig {

struct GeneratedProgram {
  Program program;
  StrategyFile strategy; // as applied
};

struct ProgramOptions {
  unsigned tiles = 64;
  StrategyFile strategy = {}; // what is wanted of layers; may be empty
  OrderMode order = OrderMode::reordered;
  uint32_t prefetchTurns = 30;
};

// Plans, generates, orders and proves. `kept` gets what the level `tile` shows, where it is given.
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept = nullptr);

} // namespace tilerig
