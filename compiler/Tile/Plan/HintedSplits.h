// Which splits of a layer's result, and which mappings to the engines, the hints for the layer allow.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Ops/Split.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

// The reason why the split contradicts the hints; empty if it agrees with all of them.
std::string unmetHint(const Hints &hints, const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                      const Split &split);

// If the hints state a number of parts, returns the split into these parts. Otherwise returns all usual
// splits into at most `tiles` parts. If the requested split is impossible, returns an empty list, and
// `reason` says why.
std::vector<Split> splitsFor(const Hints &hints, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                             unsigned tiles, std::string &reason);

// The mappings to the engines (matrix mapping and im2col mode) that the hints permit and that are worth a
// comparison.
std::vector<EngineMapping> engineMappingsFor(const Hints &hints, const DeviceOp &deviceOp,
                                             const std::vector<DeviceTensor> &tensors,
                                             const Machine &machine);

} // namespace tilerig::compiler
