// Plans told apart by what their tasks take when the scheduler plays them through: what is foreseen of a plan
// does not see that loads wait for each other's room.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"

namespace tilerig {

struct PlayedPlan {
  uint64_t cycles = 0; // of an inference
  // By part of the program, those of the device in an inference.
  std::vector<std::optional<PlayedStage>> stages;
};

Result<PlayedPlan> playPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                            const ProgramOptions &options);

struct ChosenPlan {
  TilePlan plan;
  std::optional<PlayedPlan> played; // unless there was nothing to choose from
};

// Of equal ones the first. Edits of the options, and that layers may be apart, have no say in it.
Result<ChosenPlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                               const Machine &machine, const ProgramOptions &options);

} // namespace tilerig
