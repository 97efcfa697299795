#include "compiler/Planning/Schedule/TaskCosts.h"

#include "isa/Timing/Latency.h"

namespace tilerig::compiler {

TaskCosts::TaskCosts(const TaskList &tasks, const std::vector<EngineId> &engines, const Machine &machine)
    : machine(machine), costs(tasks.size()) {
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (engines[task] == noEngine)
      continue;
    costs[task].cycles = std::visit(
        [&](const auto &instruction) {
          if constexpr (requires { transferOf(instruction, machine, tasks[task].tile); }) {
            costs[task].transfer = static_cast<uint32_t>(transfers.size());
            transfers.push_back(transferOf(instruction, machine, tasks[task].tile));
            return transfers.back().cycles();
          } else {
            return tilerig::latencyCycles(Instruction(instruction), machine, tasks[task].tile);
          }
        },
        tasks[task].instruction);
  }
}

uint64_t TaskCosts::syncCycles(const Dependency &dependency, EngineId before, EngineId after) const {
  if (!needsEnd(dependency, before, after))
    return 0;
  const unsigned from = tileOfEngine(before), to = tileOfEngine(after);
  return from == to && before != after ? machine.sync.localCycles : signalCycles(machine, from, to);
}

} // namespace tilerig::compiler
