// Between strategy files and plans.
#pragma once

#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// Hints by layer of the network. Refuses a layer of the file that the network has not.
Result<std::vector<Hints>> hintsFor(const StrategyFile &file, const DeviceNetwork &network);

// What was decided. Hints are kept as they were given.
StrategyFile strategyOf(const DeviceNetwork &network, const TilePlan &plan, const StrategyFile &given);

} // namespace tilerig
