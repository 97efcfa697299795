// What a program says about itself: layers, where tensors of the model lie, and which instructions work for
// whom.
#pragma once

#include "compiler/Codegen/TurnEnds.h"
#include "compiler/Tiling/TilePlan.h"
#include "isa/Program/Program.h"

namespace tilerig {

// `stageOf`: the stage of the program that each step of the network belongs to.
void describeProgram(const DeviceNetwork &network, const TilePlan &plan, const std::vector<uint32_t> &stageOf,
                     const TurnEnds &ends, Program &program);
// Adds ranges of instructions to the metadata: neighbours of one layer that do the same.
void describeRanges(Program &program);
// A tensor as host work and metadata name it.
std::string nameOf(const DeviceNetwork &network, TensorIndex tensor);

} // namespace tilerig
