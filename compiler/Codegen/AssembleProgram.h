// Ordered instructions, constants and what is known about them, as a program.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "isa/Program/Program.h"

namespace tilerig {

struct GeneratedProgram {
  Program program;
  StrategyFile strategy; // as applied
};

// Plans, generates, orders and proves. The machine's OCMs and the number of tiles bound the plan; `strategy`
// says what is wanted of layers, and may be empty.
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                                         const StrategyFile &strategy);

} // namespace tilerig
