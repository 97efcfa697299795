#include "compiler/Planning/Schedule/Schedule.h"

#include "isa/Timeline/Timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tilerig::compiler {

static Status checkTasks(const TaskList &tasks, unsigned tiles) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Instruction &instruction = tasks[i].instruction;
    const auto wrong = [&](const std::string &problem) {
      return internalError(fmt::format("task {} ({})", i, mnemonicOf(instruction)), problem);
    };
    if (tasks[i].tile >= tiles)
      return wrong(
          fmt::format("the task belongs to tile {}, but there are only {} tiles", tasks[i].tile, tiles));
    if (isControl(instruction) && !std::holds_alternative<Marker>(instruction) &&
        !std::holds_alternative<Delay>(instruction))
      return wrong("the task is a synchronisation instruction, which cannot be a task");
  }
  return success();
}

// Whether a dependency between transfers was removed as redundant.
static bool wasThinned(const Dependencies &dependencies, const TaskPair &edge) {
  const auto ofTask = std::ranges::equal_range(dependencies.thinnedTransfers, edge.after, {},
                                               &std::pair<uint32_t, uint32_t>::second);
  return std::ranges::find(ofTask, edge.before, &std::pair<uint32_t, uint32_t>::first) != ofTask.end();
}

// Joins the data dependencies and the orders between DDR transfers (`transferEdges`) that limit how many run
// at the same time. If such an order is the same as a dependency that was removed as redundant, the
// dependency no longer counts as removed.
static Dependencies withTransferEdges(const Dependencies &dependencies,
                                      const std::vector<TaskPair> &transferEdges) {
  std::vector<std::vector<Dependency>> more(dependencies.numTasks());
  for (const TaskPair &edge : transferEdges)
    more[edge.after].push_back({.before = edge.before});
  Dependencies all{.edges = {}, .first = {0}, .statistics = dependencies.statistics};
  for (const TaskPair &edge : transferEdges)
    if (wasThinned(dependencies, edge))
      --all.statistics.thinned, --all.statistics.thinnedEnds;
  all.edges.reserve(dependencies.edges.size() + transferEdges.size());
  for (uint32_t task = 0; task < dependencies.numTasks(); ++task) {
    const std::span<const Dependency> its = dependencies.of(task);
    all.edges.insert(all.edges.end(), its.begin(), its.end());
    for (const Dependency &edge : more[task])
      if (std::ranges::find(its, edge.before, &Dependency::before) == its.end())
        all.edges.push_back(edge);
    std::ranges::sort(all.edges.begin() + static_cast<std::ptrdiff_t>(all.first.back()), all.edges.end(), {},
                      &Dependency::before);
    all.first.push_back(all.edges.size());
  }
  return all;
}

// Counts by which mechanism dependencies are kept, including those that were removed as redundant before
// synchronisation. These count as `implied`, or as `sameEngine` if the order in their engine's queue is
// enough.
static SyncCounts withThinned(SyncCounts counts, const DependencyStatistics &statistics) {
  counts.edges += statistics.thinned;
  counts.implied += statistics.thinnedEnds;
  counts.sameEngine += statistics.thinned - statistics.thinnedEnds;
  return counts;
}

// To count the cycles of a stage, times a program that consists of this stage alone: the rest of the program
// does not affect them.
uint64_t cyclesOf(DeviceStage &stage, const Machine &machine, unsigned tiles) {
  Program program;
  program.machine = machine;
  program.tiles = tiles;
  program.stages.push_back({"stage", Phase::inference, std::move(stage)});
  const uint64_t cycles = cyclesOfStage(program, 0);
  stage = std::get<DeviceStage>(std::move(program.stages[0].work));
  return cycles;
}

Result<Dependencies> dependenciesOf(const TaskList &tasks, unsigned tiles, const ScheduleOptions &options) {
  TILERIG_CHECK_OK(checkTasks(tasks, tiles));
  return findDependencies(tasks, tiles, options.constants, options.redundancy);
}

Result<ScheduledStage> finishStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                   const Dependencies &dependencies, TaskOrder order,
                                   const ScheduleOptions &options) {
  std::optional<Dependencies> more;
  if (!order.transferEdges.empty())
    more = withTransferEdges(dependencies, order.transferEdges);
  const Dependencies &all = more ? *more : dependencies;
  TILERIG_CHECK_OK(verifyOrder(all, order.sequence));
  SynchronisedStage synchronised =
      synchronise(tasks, all, order, machine, tiles, options.keptPlan, options.redundancy);
  const uint64_t cycles = cyclesOf(synchronised.stage, machine, tiles);
  return ScheduledStage{.stage = std::move(synchronised.stage),
                        .cycles = cycles,
                        .order = std::move(order),
                        .counts = withThinned(synchronised.counts, all.statistics),
                        .dependencies = all.statistics};
}

Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options) {
  TILERIG_TRY(const Dependencies dependencies, dependenciesOf(tasks, tiles, options));
  TaskOrder order = orderTasks(tasks, dependencies, machine, options.order);
  return finishStage(tasks, machine, tiles, dependencies, std::move(order), options);
}

} // namespace tilerig::compiler
