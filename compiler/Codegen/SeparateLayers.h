// The same tasks with every layer in a stage of its own, so that it has the machine for itself.
//
// What a layer costs cannot be told where it shares DDR and engines with others. A stage begins when the one
// before it has ended. So the cycles of such a stage are those of its layer: its loads, its sums, and what it
// sends to others. Splits, buffers and instructions stay what they are.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"

namespace tilerig {

// Loads move to the layer that they are for, later than they stood: their buffers are there until they have
// been read. A layer between whose tasks others stand gets several parts.
std::vector<ProgramPart> separateLayers(std::vector<ProgramPart> parts);

} // namespace tilerig
