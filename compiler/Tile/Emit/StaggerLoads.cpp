#include "compiler/Tile/Emit/StaggerLoads.h"

#include "isa/Timing/Dma.h"

#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>

namespace tilerig::compiler {

namespace {

bool readsDdr(const Task &task, const Machine &machine) {
  return std::visit(
      [&](const auto &instruction) {
        if constexpr (requires { transferOf(instruction, machine, task.tile); })
          return transferOf(instruction, machine, task.tile).read.ddrPorts != 0;
        else
          return false;
      },
      task.instruction);
}

// While a stage is walked in order, records which tiles have already read DDR for which layer.
class Readers {
public:
  // How many tiles have read DDR for `layer` before `tile` does; empty if `tile` itself has already read for
  // it.
  std::optional<uint32_t> rankOf(uint32_t layer, uint32_t tile) {
    if (!seen.emplace(layer, tile).second)
      return std::nullopt;
    return tilesOfLayer[layer]++;
  }

private:
  std::set<std::pair<uint32_t, uint32_t>> seen;
  std::map<uint32_t, uint32_t> tilesOfLayer;
};

} // namespace

Status LoadStagger::addTo(TaskList &tasks, SyncPlan &plan) {
  Readers readers;
  std::vector<SyncAction> actions;
  actions.reserve(plan.actions.size());
  for (const SyncAction &action : plan.actions) {
    const Task task = tasks[action.task];
    const bool isRead = action.kind == SyncActionKind::task && readsDdr(task, machine);
    const uint32_t layer = layerOf(task.instruction);
    if (const auto rank = isRead ? readers.rankOf(layer, task.tile) : std::nullopt) {
      const uint64_t amount = uint64_t{*rank} * cycles;
      if (nextId > std::numeric_limits<uint16_t>::max())
        return invalidInput("stagger",
                            fmt::format("the program would have more than {} delays",
                                        std::numeric_limits<uint16_t>::max() + 1),
                            "use fewer tiles, or do not delay loads");
      if (amount > std::numeric_limits<uint32_t>::max())
        return invalidInput(
            "stagger",
            fmt::format("tile {} would wait {} cycles, more than a delay can hold", task.tile, amount),
            "give fewer cycles");
      actions.push_back({.kind = SyncActionKind::task, .task = static_cast<uint32_t>(tasks.size())});
      tasks.push_back({.tile = task.tile,
                       .instruction = Delay{.layer = layer,
                                            .engine = engineOf(task.instruction),
                                            .id = static_cast<uint16_t>(nextId++),
                                            .cycles = static_cast<uint32_t>(amount)},
                       .timeStep = task.timeStep,
                       .image = task.image});
    }
    actions.push_back(action);
  }
  plan.actions = std::move(actions);
  plan.signalTo.resize(tasks.size());
  return success();
}

} // namespace tilerig::compiler
