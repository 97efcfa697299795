// Plans told apart by what their tasks take when the scheduler plays them through: what is foreseen of a plan
// does not see that loads wait for each other's room.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"

namespace tilerig {

// Of an inference.
Result<uint64_t> playedCycles(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                              const ProgramOptions &options);

// Of equal ones the first. Edits of the options, and that layers may be apart, have no say in it.
Result<TilePlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                             const Machine &machine, const ProgramOptions &options);

} // namespace tilerig
