// Metadata of levels `tile` and `isa` as JSON: what the compiler decided and why. Reports/Layers/README.md
// has the formats.
#pragma once

#include "compiler/Tile/Emit/AssembleProgram.h"

namespace tilerig::compiler {

// tile.json: how each device operation is split, where each tensor and buffer lies, and its live range.
std::string tileMetadata(const DeviceNetwork &network, const TilePlan &plan, const PlanOptions &options,
                         const StrategyFile &strategy, const std::vector<PlannedBuffer> &buffers,
                         const Program &program);

// isa.json: sorted by layer and primitive (kind of instruction), the model's nodes, the instructions of each
// tile, and the bytes that they access.
std::string isaMetadata(const GeneratedProgram &generated);

} // namespace tilerig::compiler
