// Regroups the tasks so that every layer has a stage of its own and does not share the machine.
//
// The cost of a layer cannot be measured while it shares DDR and engines with other layers. A stage begins
// only when the previous one has ended, so the cycles of such a stage are those of its layer: its loads, its
// computation and its transfers to other tiles. Splits, buffers and instructions do not change.
#pragma once

#include "compiler/Tile/Emit/GenerateTasks.h"

namespace tilerig::compiler {

// Each load is moved from the place where it was issued to the tasks of the layer that reads its data. So it
// runs later than planned, which is safe, because its buffer stays allocated until the data have been read.
// If the tasks of a layer are interleaved with those of other layers, the layer becomes several parts.
std::vector<ProgramPart> separateLayers(std::vector<ProgramPart> parts);

} // namespace tilerig::compiler
