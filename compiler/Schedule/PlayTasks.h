// Simulation of tasks on the machine: in which sequence they begin, and when each begins and ends.
#pragma once

#include "compiler/Schedule/Order.h"

namespace tilerig::compiler {

// Returns the tasks that compute or move in the order in which they begin, without markers and delays.
TaskOrder playTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                    const OrderOptions &options);

} // namespace tilerig::compiler
