// Simulates the tasks of a stage on the machine: in which sequence they begin, and when each begins and ends.
#pragma once

#include "compiler/Planning/Schedule/Order.h"

namespace tilerig::compiler {

// Returns the tasks that compute or move data, without markers and delays, in the order in which they begin.
TaskOrder playTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                    const OrderOptions &options);

} // namespace tilerig::compiler
