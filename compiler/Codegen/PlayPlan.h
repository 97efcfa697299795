// Of several plans, and several orders of their tasks, the program with the fewest cycles: what is foreseen
// of a plan does not see that loads wait for each other's room.
//
// Every plan's tasks are played through in each order (Schedule/PlayTasks.h). That estimates how long their
// program takes; the two best plans of each order are synchronised and timed on the machine's clock
// (isa/Timeline), which is exact.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"

namespace tilerig {

struct OrderRule {
  OrderMode mode = OrderMode::reordered;
  TransferSharing sharing = TransferSharing::byTurns;
  bool operator==(const OrderRule &) const = default;
};

// The orders that the options leave to choose from, at least one.
std::vector<OrderRule> orderRules(const ProgramOptions &options);
ScheduleOptions scheduleOptions(const ProgramOptions &options, const OrderRule &rule,
                                std::span<const ByteRange> constants);

// The stages of an inference that are the device's, by part of the program.
struct PlayedStage {
  Dependencies dependencies;
  std::vector<TaskOrder> orders; // by rule
};
struct PlayedPlan {
  std::vector<uint64_t> cycles; // of an inference, by rule: estimated
  std::vector<std::optional<PlayedStage>> stages;
};
Result<PlayedPlan> playPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                            const ProgramOptions &options, std::span<const OrderRule> rules);

struct FinishedPlan {
  uint64_t cycles = 0; // of an inference, on the machine
  std::vector<std::optional<ScheduledStage>> stages;
};
// In the order of one of the rules that it has been played by.
Result<FinishedPlan> finishPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                                const ProgramOptions &options, const PlayedPlan &played,
                                std::span<const OrderRule> rules, size_t rule);

struct ChosenPlan {
  TilePlan plan;
  OrderRule rule;
  std::optional<FinishedPlan> finished; // unless there was nothing to choose from
};

// Of equal ones the first. Edits of the options, and that layers may be apart, have no say in it.
Result<ChosenPlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                               const Machine &machine, const ProgramOptions &options);

} // namespace tilerig
