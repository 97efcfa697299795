#include "compiler/Schedule/Schedule.h"

#include <fmt/format.h>

namespace tilerig {

static Status checkTasks(const TaskList &tasks, unsigned tiles) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Instruction &instruction = tasks[i].instruction;
    const auto wrong = [&](const std::string &what) {
      return internalError(fmt::format("task {} ({})", i, mnemonicOf(instruction)), what);
    };
    if (tasks[i].tile >= tiles)
      return wrong(fmt::format("is of tile {} of {}", tasks[i].tile, tiles));
    if (isControl(instruction) && !std::holds_alternative<Marker>(instruction) &&
        !std::holds_alternative<Delay>(instruction))
      return wrong("synchronises, which is not a task");
  }
  return success();
}

Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options) {
  CHECK_OK(checkTasks(tasks, tiles));
  const Dependencies dependencies = findDependencies(tasks, tiles, options.constants);
  ScheduledStage result;
  result.dependencies = dependencies.statistics;
  result.order = orderTasks(tasks, dependencies, machine, options.order);
  CHECK_OK(verifyOrder(dependencies, result.order.sequence));
  SynchronisedStage synchronised =
      synchronise(tasks, dependencies, result.order.sequence, machine, tiles, options.keptPlan);
  result.stage = std::move(synchronised.stage);
  result.counts = synchronised.counts;
  return result;
}

} // namespace tilerig
