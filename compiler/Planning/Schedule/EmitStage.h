// Emission of a stage: turns the plan of its synchronisation into instructions. This assigns semaphore
// numbers, the values for which waits wait, and the counts of pending instructions in syncs.
#pragma once

#include "compiler/Planning/Schedule/PlanSync.h"

namespace tilerig::compiler {

DeviceStage emitStage(const TaskList &tasks, const SyncPlan &plan, unsigned tiles);

} // namespace tilerig::compiler
