// Conversion between strategy files and plans: the hints that a file gives, and the file that describes a
// plan.
#pragma once

#include "compiler/Planning/Strategy/MatchStrategy.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// The layers of a network, in the form in which matchStrategy() takes them.
std::vector<StrategyTarget> strategyTargets(const DeviceNetwork &network);

// The hints of a strategy file, one element for each layer of the network. `matched` is a strategy file after
// matchStrategy().
Result<std::vector<Hints>> hintsFor(const StrategyFile &matched, const DeviceNetwork &network);

// Describes the plan as a strategy file, with the hints of the strategy file `matched` that led to the plan.
StrategyFile strategyOf(const DeviceNetwork &network, const TilePlan &plan, const StrategyFile &matched);

} // namespace tilerig::compiler
