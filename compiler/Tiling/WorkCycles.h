// How long a tile takes for a part of a work's result.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/Views.h"
#include "compiler/Tiling/Way.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// By what its instructions take. `views`: of operands that are in place.
uint64_t computeCycles(const Work &work, const std::vector<DeviceTensor> &tensors, const TensorViews &views,
                       const Box &share, const Way &way, const Machine &machine);

} // namespace tilerig
