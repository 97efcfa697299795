#include "compiler/Codegen/PlayPlan.h"

#include "isa/Support/InParallel.h"

namespace tilerig {

Result<PlayedPlan> playPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                            const ProgramOptions &options) {
  ConstantPool constants = ConstantPool::behind(plan.ddrEnd, ConstantPool::Keeps::places);
  const std::vector<ProgramPart> parts = generateTasks(network, plan, constants);
  const ByteRange readOnly{constants.address(), constants.end()};
  PlayedPlan played{.cycles = 0, .stages = std::vector<std::optional<PlayedStage>>(parts.size())};
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].host) {
      played.cycles += hostCycles(network.layers[parts[i].host->layer], machine);
    } else if (parts[i].phase == Phase::inference) {
      TRY(played.stages[i], playStage(parts[i].tasks, machine, options.tiles,
                                      {.order = {options.order, options.ddrReads, options.ddrWriteBytes},
                                       .constants = {&readOnly, 1},
                                       .redundancy = options.redundancy}));
      played.cycles += played.stages[i]->order.cycles;
    }
  return played;
}

Result<ChosenPlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                               const Machine &machine, const ProgramOptions &options) {
  if (plans.size() == 1)
    return ChosenPlan{std::move(plans.front()), std::nullopt};
  std::vector<Result<PlayedPlan>> played(plans.size(), PlayedPlan{});
  inParallel(plans.size(), [&](size_t i) { played[i] = playPlan(network, plans[i], machine, options); });
  size_t best = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    CHECK_OK(played[i]);
    if (played[i]->cycles < played[best]->cycles)
      best = i;
  }
  return ChosenPlan{std::move(plans[best]), *std::move(played[best])};
}

} // namespace tilerig
