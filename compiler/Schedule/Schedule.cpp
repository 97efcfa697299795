#include "compiler/Schedule/Schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

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

// The same dependencies and, without a byte in common, those of the turns. A turn between tasks that depend
// on each other anyway is that dependency, and no longer left out.
static Dependencies withTurns(const Dependencies &dependencies, const std::vector<TaskPair> &turns) {
  std::vector<std::vector<Dependency>> more(dependencies.numTasks());
  for (const TaskPair &turn : turns)
    more[turn.after].push_back({.before = turn.before});
  Dependencies all{.edges = {}, .first = {0}, .statistics = dependencies.statistics};
  const std::set<std::pair<uint32_t, uint32_t>> thinned(dependencies.thinnedTransfers.begin(),
                                                        dependencies.thinnedTransfers.end());
  for (const TaskPair &turn : turns)
    if (thinned.contains({turn.before, turn.after}))
      --all.statistics.thinned, --all.statistics.thinnedEnds;
  all.edges.reserve(dependencies.edges.size() + turns.size());
  for (uint32_t task = 0; task < dependencies.numTasks(); ++task) {
    const std::span<const Dependency> its = dependencies.of(task);
    all.edges.insert(all.edges.end(), its.begin(), its.end());
    for (const Dependency &turn : more[task])
      if (std::ranges::find(its, turn.before, &Dependency::before) == its.end())
        all.edges.push_back(turn);
    std::ranges::sort(all.edges.begin() + static_cast<std::ptrdiff_t>(all.first.back()), all.edges.end(), {},
                      &Dependency::before);
    all.first.push_back(all.edges.size());
  }
  return all;
}

// Dependencies that were left out before anything was synchronised are implied, too.
static SyncCounts withThinned(SyncCounts counts, const DependencyStatistics &statistics) {
  counts.edges += statistics.thinned;
  counts.implied += statistics.thinnedEnds;
  counts.sameEngine += statistics.thinned - statistics.thinnedEnds;
  return counts;
}

Result<PlayedStage> playStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                              const ScheduleOptions &options) {
  CHECK_OK(checkTasks(tasks, tiles));
  Dependencies dependencies = findDependencies(tasks, tiles, options.constants, options.redundancy);
  TaskOrder order = orderTasks(tasks, dependencies, machine, options.order);
  return PlayedStage{std::move(dependencies), std::move(order)};
}

Result<ScheduledStage> scheduleStage(const TaskList &tasks, const Machine &machine, unsigned tiles,
                                     const ScheduleOptions &options, std::optional<PlayedStage> played) {
  if (!played) {
    TRY(played, playStage(tasks, machine, tiles, options));
  }
  auto &[dependencies, order] = *played;
  if (!order.turns.empty())
    dependencies = withTurns(dependencies, order.turns);
  CHECK_OK(verifyOrder(dependencies, order.sequence));
  SynchronisedStage synchronised =
      synchronise(tasks, dependencies, order.sequence, machine, tiles, options.keptPlan, options.redundancy);
  return ScheduledStage{.stage = std::move(synchronised.stage),
                        .order = std::move(order),
                        .counts = withThinned(synchronised.counts, dependencies.statistics),
                        .dependencies = dependencies.statistics};
}

} // namespace tilerig
