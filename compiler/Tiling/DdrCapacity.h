// Whether a network fits the machine's DDR. Inputs, outputs and constants have a place there all the time, as
// have tensors of the host and those that leave the OCM; no place is used twice.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/TilePlan.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// Before planning, which need not begin where inputs, outputs and tensors of the host take too much by
// themselves.
Status checkLeastDdr(const DeviceNetwork &network, const Machine &machine);

// As planned, with everything up to `end`, constants among it.
Status checkPlannedDdr(const DeviceNetwork &network, const TilePlan &plan, uint64_t end,
                       const Machine &machine);

} // namespace tilerig
