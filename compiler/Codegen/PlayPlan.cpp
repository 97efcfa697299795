#include "compiler/Codegen/PlayPlan.h"

#include "isa/Support/InParallel.h"

namespace tilerig {

Result<uint64_t> playedCycles(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                              const ProgramOptions &options) {
  ConstantPool constants = ConstantPool::behind(plan.ddrEnd, ConstantPool::Keeps::places);
  const std::vector<ProgramPart> parts = generateTasks(network, plan, constants);
  const ByteRange readOnly{constants.address(), constants.end()};
  uint64_t cycles = 0;
  for (const ProgramPart &part : parts)
    if (part.host) {
      cycles += hostCycles(network.layers[part.host->layer], machine);
    } else if (part.phase == Phase::inference) {
      TRY(const uint64_t its, playStage(part.tasks, machine, options.tiles,
                                        {.order = {options.order, options.ddrReads, options.ddrWriteBytes},
                                         .constants = {&readOnly, 1},
                                         .redundancy = options.redundancy}));
      cycles += its;
    }
  return cycles;
}

Result<TilePlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                             const Machine &machine, const ProgramOptions &options) {
  std::vector<Result<uint64_t>> cycles(plans.size(), uint64_t{0});
  if (plans.size() > 1)
    inParallel(plans.size(),
               [&](size_t i) { cycles[i] = playedCycles(network, plans[i], machine, options); });
  size_t best = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    CHECK_OK(cycles[i]);
    if (*cycles[i] < *cycles[best])
      best = i;
  }
  return std::move(plans[best]);
}

} // namespace tilerig
