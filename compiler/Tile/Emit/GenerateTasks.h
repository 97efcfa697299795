// Generates instructions from a plan: for every step of every device operation the tasks of all tiles, in an
// order that is correct if each instruction begins after all earlier ones have ended.
#pragma once

#include "compiler/Planning/Schedule/Task.h"
#include "compiler/Tile/Emit/ConstantPool.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// A stage of the program: the tasks of a device stage, or an operator that the host runs.
struct ProgramPart {
  TaskList tasks;
  std::optional<HostStep> host;
  Phase phase = Phase::inference;
};

std::vector<ProgramPart> generateTasks(const DeviceNetwork &network, const TilePlan &plan,
                                       ConstantPool &constants);

} // namespace tilerig::compiler
