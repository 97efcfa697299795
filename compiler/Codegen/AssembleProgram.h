// Ordered instructions, constants and what is known about them, as a program.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Plans, generates, orders and proves. The machine's OCMs and the number of tiles bound the plan.
Result<Program> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                const PlanOptions &options);

} // namespace tilerig
