// From a plan to instructions: what every tile does for every step of every work, in an order that would be
// right if each instruction began after all before it had ended.
#pragma once

#include "compiler/Codegen/ConstantPool.h"
#include "compiler/Schedule/Task.h"
#include "compiler/Tiling/TilePlan.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Tasks of a stage of the device, or one step of the host.
struct ProgramPart {
  TaskList tasks;
  std::optional<HostStep> host;
  Phase phase = Phase::inference;
};

std::vector<ProgramPart> generateTasks(const DeviceNetwork &network, const TilePlan &plan,
                                       ConstantPool &constants);

} // namespace tilerig
