// Fast estimate of how many cycles a tile plan takes. It assumes that device operations run one after the
// other, while data is transferred from and to DDR at the same time.
//
// DDR serves the operations in order, and begins to serve an operation as soon as the buffers for its data
// are free. An operation begins when the previous one has ended and DDR has served it. The operations of a
// fusion block count as one. The estimate is precise enough to rank several plans of one network.
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
