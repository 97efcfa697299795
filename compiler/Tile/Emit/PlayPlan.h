// Chooses the program with the fewest cycles among several plans and several orders of their tasks.
//
// The planner's own estimate ignores that a load may have to wait until its memory is free. So every plan is
// simulated task by task, once by each rule for ordering tasks (Schedule/PlayTasks.h), to estimate the cycles
// of its program. For each rule, the plan with the fewest estimated cycles is then synchronised and timed by the
// machine's timing model (isa/Timeline), which is exact.
#pragma once

#include "compiler/Tile/Emit/AssembleProgram.h"

namespace tilerig::compiler {

struct OrderRule {
  OrderMode mode = OrderMode::reordered;
  TransferSharing sharing = TransferSharing::roundRobin;
  MostInFlight reads = {}; // of DDR
  bool operator==(const OrderRule &) const = default;
};

// The rules for ordering tasks that the options allow; at least one.
std::vector<OrderRule> orderRules(const ProgramOptions &options);
ScheduleOptions scheduleOptions(const ProgramOptions &options, const OrderRule &rule,
                                std::span<const ByteRange> constants);

// A device stage of the inference, with one order of its tasks for each ordering rule.
struct PlayedStage {
  Dependencies dependencies;
  std::vector<TaskOrder> orders; // the order of the stage's tasks by each ordering rule
};
struct PlayedPlan {
  std::vector<uint64_t> cycles; // estimated cycles of one inference, for each ordering rule
  std::vector<std::optional<PlayedStage>> stages;
};
Result<PlayedPlan> playPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                            const ProgramOptions &options, std::span<const OrderRule> rules);

struct FinishedPlan {
  uint64_t cycles = 0; // exact cycles of one inference on the machine
  std::vector<std::optional<ScheduledStage>> stages;
};
// Orders the tasks of a plan by the rule number `rule`, synchronises them, and computes their exact cycles.
// `played` comes from playPlan() with the same rules.
Result<FinishedPlan> finishPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                                const ProgramOptions &options, const PlayedPlan &played,
                                std::span<const OrderRule> rules, size_t rule);

struct ChosenPlan {
  TilePlan plan;
  OrderRule rule;
  // Finished stages and cycles of the plan. Empty if there was only one plan and one rule, so that there was
  // nothing to compare.
  std::optional<FinishedPlan> finished;
};

// The plan and the order of its tasks that take the fewest cycles; if several are equally fast, the first of
// them. Ignores the options `edits` and `apart`.
Result<ChosenPlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                               const Machine &machine, const ProgramOptions &options);

} // namespace tilerig::compiler
