// Checks that a network fits into the machine's DDR. Inputs, outputs, constants, tensors of host operators
// and tensors spilled from the OCMs (on-chip memories) each have an address of their own for the whole
// program; no DDR address is reused.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

// Returns an error if inputs, outputs and tensors of host operators alone exceed the DDR. This is checked
// before planning, because every plan needs at least these bytes.
Status checkLeastDdr(const DeviceNetwork &network, const Machine &machine);

// Checks the DDR addresses of a finished plan, those of constants included; `end` is the address behind the
// last one.
Status checkPlannedDdr(const DeviceNetwork &network, const TilePlan &plan, uint64_t end,
                       const Machine &machine);

} // namespace tilerig::compiler
