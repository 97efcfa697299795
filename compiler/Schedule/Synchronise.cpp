#include "compiler/Schedule/Synchronise.h"

#include "compiler/Schedule/EmitStage.h"
#include "compiler/Schedule/PlanSync.h"

namespace tilerig {

SynchronisedStage synchronise(const TaskList &tasks, const Dependencies &dependencies,
                              std::span<const uint32_t> sequence, const Machine &machine, unsigned tiles,
                              SyncPlan *kept) {
  Channels channels(tiles);
  SyncPlan plan = planSync(tasks, dependencies, sequence, tiles, channels);
  // Relays and barriers tell more than the signals that they stand for, so whoever needs no signal in the
  // first plan needs none in the second, and the second keeps to the channels that the first asked for.
  if (!channels.fit(machine.tile.semaphores)) {
    channels.limitTo(machine.tile.semaphores);
    plan = planSync(tasks, dependencies, sequence, tiles, channels);
  }
  SynchronisedStage result{emitStage(tasks, plan, tiles), plan.counts};
  if (kept)
    *kept = std::move(plan);
  return result;
}

} // namespace tilerig
