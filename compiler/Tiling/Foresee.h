// How long a plan takes, roughly: works one after the other, and DDR beside them.
//
// DDR gives what works need of it in their order, a work's part as soon as its buffers are free; a work
// begins when the one before has ended and its part is there. The works of a block are one. Good enough to
// tell plans of one network apart.
#pragma once

#include "compiler/Tiling/ChooseSplits.h"
#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// What goes between DDR and the tiles for a work of the plan.
uint64_t bytesOfDdr(const Work &work, const WorkPlan &its, const DeviceNetwork &network, const TilePlan &plan,
                    const Machine &machine);

uint64_t foreseenCycles(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                        const Choices &choices);

} // namespace tilerig
