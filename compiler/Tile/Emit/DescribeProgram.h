// Program metadata: the layers, the addresses of the model's tensors, and which instructions belong to which
// layer and primitive (kind of instruction).
#pragma once

#include "compiler/Tile/Emit/TimeStepEnds.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// Fills the metadata of `program`. `stageOf` has, for each step of the network (DeviceNetwork::steps), the
// index of its program stage. `ends` has the instruction after which the results of each time step of the
// plan are complete.
void describeProgram(const DeviceNetwork &network, const TilePlan &plan, const std::vector<uint32_t> &stageOf,
                     const TimeStepEnds &ends, Program &program);
// The name under which host stages and metadata refer to a tensor.
std::string nameOf(const DeviceNetwork &network, TensorIndex tensor);

} // namespace tilerig::compiler
