// Checks that a network fits into the machine's DDR. Inputs, outputs, constants, tensors of host operators
// and tensors spilled from the OCMs (on-chip memories) each have an address of their own for the whole
// program; no DDR address is reused.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

// Lower bound, checked before planning: returns an error if inputs, outputs and tensors of host operators
// alone exceed the DDR.
Status checkLeastDdr(const DeviceNetwork &network, const Machine &machine);

// Checks a finished plan; its DDR addresses, those of constants included, end at `end`.
Status checkPlannedDdr(const DeviceNetwork &network, const TilePlan &plan, uint64_t end,
                       const Machine &machine);

} // namespace tilerig::compiler
