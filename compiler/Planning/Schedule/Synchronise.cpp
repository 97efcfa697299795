#include "compiler/Planning/Schedule/Synchronise.h"

#include "compiler/Planning/Schedule/EmitStage.h"
#include "compiler/Planning/Schedule/PlanSync.h"

namespace tilerig::compiler {

SyncCounts &SyncCounts::operator+=(const SyncCounts &other) {
  edges += other.edges, sameEngine += other.sameEngine, implied += other.implied;
  locals += other.locals, semaphores += other.semaphores;
  signals += other.signals, relays += other.relays, barriers += other.barriers;
  return *this;
}

SynchronisedStage synchronise(const TaskList &tasks, const Dependencies &dependencies, const TaskOrder &order,
                              const Machine &machine, unsigned tiles, SyncPlan *kept, Redundancy redundancy) {
  Channels channels(tiles);
  SyncPlan plan = planSync(tasks, dependencies, order, tiles, channels, redundancy);
  // If there are too few semaphores, plans a second time with fewer channels (engines that may signal a
  // tile). The second plan needs no signal that the first plan did not need, so the numbers in the first plan
  // are upper limits.
  if (!channels.fit(machine.tile.semaphores)) {
    channels.limitTo(machine.tile.semaphores);
    plan = planSync(tasks, dependencies, order, tiles, channels, redundancy);
  }
  SynchronisedStage result{emitStage(tasks, plan, tiles), plan.counts};
  if (kept)
    *kept = std::move(plan);
  return result;
}

} // namespace tilerig::compiler
