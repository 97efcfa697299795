// From decisions to instructions: semaphores get their numbers and values, syncs what may be pending.
#pragma once

#include "compiler/Schedule/PlanSync.h"

namespace tilerig {

DeviceStage emitStage(const TaskList &tasks, const SyncPlan &plan, unsigned tiles);

} // namespace tilerig
