// What was decided at levels tile and isa, and why, as documents for machines (forms: Listing/README.md).
#pragma once

#include "compiler/Codegen/AssembleProgram.h"

namespace tilerig {

// tile.json: how each work is shared out, where each tensor and buffer lies, and for how long.
std::string tileMetadata(const DeviceNetwork &network, const TilePlan &plan, const PlanOptions &options,
                         const StrategyFile &strategy, const std::vector<PlannedBuffer> &buffers,
                         const Program &program);

// isa.json: from the model's nodes by layer and primitive to the instructions of each tile, and the bytes
// that they touch.
std::string isaMetadata(const GeneratedProgram &generated);

} // namespace tilerig
