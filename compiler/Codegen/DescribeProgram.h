// Program metadata: the layers, where the model's tensors lie, and which instructions belong to which layer
// and primitive (kind of instruction).
#pragma once

#include "compiler/Codegen/TimeStepEnds.h"
#include "compiler/Tiling/TilePlan.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// Fills the metadata of `program`. `stageOf`: for each of DeviceNetwork::steps, the index of its program
// stage; `ends`: the instruction after which the results of each time step of the plan are complete.
void describeProgram(const DeviceNetwork &network, const TilePlan &plan, const std::vector<uint32_t> &stageOf,
                     const TimeStepEnds &ends, Program &program);
// Adds the ranges of instructions to the metadata: consecutive instructions with the same layer and primitive
// (kind of instruction) form a range.
void describeRanges(Program &program);
// The name under which host stages and metadata refer to a tensor.
std::string nameOf(const DeviceNetwork &network, TensorIndex tensor);

} // namespace tilerig::compiler
