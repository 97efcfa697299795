// Between strategy files and plans.
#pragma once

#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// Hints by layer of the network, of a file whose layers have been matched with those of the network
// (MatchStrategy.h).
Result<std::vector<Hints>> hintsFor(const StrategyFile &matched, const DeviceNetwork &network);

// What was decided. Hints are kept as they were given.
StrategyFile strategyOf(const DeviceNetwork &network, const TilePlan &plan, const StrategyFile &matched);

} // namespace tilerig
