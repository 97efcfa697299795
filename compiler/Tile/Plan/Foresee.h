// Fast estimate of how many cycles a tile plan takes: device operations run one after the other, and DDR
// traffic beside them.
//
// DDR serves the operations in order. It begins with the traffic of an operation as soon as the buffers for
// the traffic are free. An operation begins when the previous one has ended and its own traffic has been
// served. The operations of a fusion block count as one. The estimate is precise enough to rank several plans
// of one network.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// The bytes that one device operation of the plan transfers between DDR and the tiles.
uint64_t bytesOfDdr(const DeviceOp &deviceOp, const OpPlan &its, const DeviceNetwork &network,
                    const TilePlan &plan, const Machine &machine);

uint64_t foreseenCycles(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                        const Choices &choices);

} // namespace tilerig::compiler
