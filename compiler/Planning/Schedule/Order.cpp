#include "compiler/Planning/Schedule/Order.h"

#include "compiler/Planning/Schedule/Attachments.h"
#include "compiler/Planning/Schedule/PlayTasks.h"

#include <fmt/format.h>

namespace tilerig::compiler {

TaskOrder orderTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                     const OrderOptions &options) {
  TaskOrder order = playTasks(tasks, dependencies, machine, options);
  if (options.mode != OrderMode::listed) {
    insertAttached(tasks, order.sequence);
  } else { // the order of the task list is kept; only the simulated start and end times are used
    order.sequence.resize(tasks.size());
    for (uint32_t task = 0; task < tasks.size(); ++task)
      order.sequence[task] = task;
  }
  return order;
}

Status verifyOrder(const Dependencies &dependencies, std::span<const uint32_t> sequence) {
  std::vector<bool> seen(dependencies.numTasks());
  const auto wrong = [](uint32_t task, const std::string &problem) {
    return internalError(fmt::format("order of tasks, task {}", task), problem);
  };
  for (const uint32_t task : sequence) {
    if (task >= seen.size() || seen[task])
      return wrong(task, "the task does not exist, or is listed twice");
    for (const Dependency &dependency : dependencies.of(task))
      if (!seen[dependency.before])
        return wrong(
            task, fmt::format("the task is listed before task {}, on which it depends", dependency.before));
    seen[task] = true;
  }
  if (sequence.size() != seen.size())
    return internalError("order of tasks",
                         fmt::format("the order lists only {} of {} tasks", sequence.size(), seen.size()));
  return success();
}

} // namespace tilerig::compiler
