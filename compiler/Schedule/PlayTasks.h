// Plays tasks through on the machine: in which sequence they begin, and when each begins and ends.
#pragma once

#include "compiler/Schedule/Order.h"

namespace tilerig {

// Of the tasks that compute or move, in the order in which they begin; markers and delays are left out.
TaskOrder playTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                    const OrderOptions &options);

} // namespace tilerig
