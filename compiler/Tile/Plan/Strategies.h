// Converts between strategy files and plans: finds the hints that a file gives for a network, and writes the
// file that describes a plan.
#pragma once

#include "compiler/Planning/Strategy/MatchStrategy.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// The layers of a network, in the form that matchStrategy() takes.
std::vector<StrategyTarget> strategyTargets(const DeviceNetwork &network);

// The hints of a strategy file, one element for each layer of the network. `matched` is a strategy file after
// matchStrategy().
Result<std::vector<Hints>> hintsFor(const StrategyFile &matched, const DeviceNetwork &network);

// Describes the plan as a strategy file. The hints of the strategy file `matched`, with which the plan was
// made, are repeated in it.
StrategyFile strategyOf(const DeviceNetwork &network, const TilePlan &plan, const StrategyFile &matched);

} // namespace tilerig::compiler
