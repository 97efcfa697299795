// How many cycles a tile takes for a part of a device operation's result.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "compiler/Tile/Plan/Views.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

// Sum of the latencies of the instructions that compute `share`. If the PE (vector engine) copies convolution
// windows (im2col) while the POD (matrix engine) multiplies others, the duration of this pipeline instead.
// Operands that already lie in the result's buffer, as `views` states, are not copied.
uint64_t computeCycles(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                       const TensorViews &views, const Box &share, const EngineMapping &engineMapping,
                       const Machine &machine);

} // namespace tilerig::compiler
