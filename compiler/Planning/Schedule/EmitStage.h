// Emission of a stage: turns the synchronisation plan into instructions, with semaphore numbers, wait values
// and the `pending` counts of syncs.
#pragma once

#include "compiler/Planning/Schedule/PlanSync.h"

namespace tilerig::compiler {

DeviceStage emitStage(const TaskList &tasks, const SyncPlan &plan, unsigned tiles);

} // namespace tilerig::compiler
