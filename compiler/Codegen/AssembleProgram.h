// Ordered instructions, constants and what is known about them, as a program.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
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
  uint32_t prefetchTurns = 1000;
  uint32_t ddrReads = 32; // at a time; 0: any number
};

// Plans, generates, orders and proves.
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options);

} // namespace tilerig
