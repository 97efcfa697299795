#include "compiler/Planning/Schedule/Attachments.h"

#include <unordered_map>

namespace tilerig::compiler {

namespace {

constexpr uint32_t nobody = UINT32_MAX;

struct Attached {
  std::vector<uint32_t> before, after;
};

// While the list of tasks is walked in either direction: the last task that the walk has passed, for every
// engine and for every tile.
class Nearest {
public:
  explicit Nearest(const TaskList &tasks) : tasks(tasks) {}

  void pass(uint32_t task) {
    byEngine[{tasks[task].tile, engineOf(tasks[task].instruction)}] = task;
    byEngine[{tasks[task].tile, Engine::sequencer}] = task; // the last task passed on the tile, on any engine
  }
  uint32_t to(uint32_t control) const {
    const auto entry = byEngine.find({tasks[control].tile, engineOf(tasks[control].instruction)});
    return entry == byEngine.end() ? nobody : entry->second;
  }

private:
  struct Key {
    uint32_t tile;
    Engine engine;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return key.tile * numEngines + static_cast<size_t>(key.engine);
    }
  };

  const TaskList &tasks;
  std::unordered_map<Key, uint32_t, Hash> byEngine;
};

bool endsLayer(const Instruction &instruction) {
  const auto *marker = std::get_if<Marker>(&instruction);
  return marker && marker->kind == MarkerKind::layerEnd;
}

} // namespace

void insertAttached(const TaskList &tasks, std::vector<uint32_t> &sequence) {
  const auto numTasks = static_cast<uint32_t>(tasks.size());
  std::vector<uint32_t> following(numTasks, nobody);
  Nearest next(tasks), last(tasks);
  for (uint32_t task = numTasks; task-- > 0;)
    isControl(tasks[task].instruction) ? void(following[task] = next.to(task)) : next.pass(task);

  // For each task, the markers and delays that are kept beside it. The map is never iterated, because its
  // order is unspecified.
  std::unordered_map<uint32_t, Attached> attached;
  std::vector<uint32_t> alone;
  for (uint32_t task = 0; task < numTasks; ++task) {
    if (!isControl(tasks[task].instruction)) {
      last.pass(task);
      continue;
    }
    const uint32_t previous = last.to(task);
    if (previous == nobody && following[task] == nobody)
      alone.push_back(task);
    else if (following[task] == nobody || (endsLayer(tasks[task].instruction) && previous != nobody))
      attached[previous].after.push_back(task);
    else
      attached[following[task]].before.push_back(task);
  }

  std::vector<uint32_t> whole;
  whole.reserve(numTasks);
  for (const uint32_t task : sequence) {
    const auto attachment = attached.find(task);
    if (attachment != attached.end())
      whole.insert(whole.end(), attachment->second.before.begin(), attachment->second.before.end());
    whole.push_back(task);
    if (attachment != attached.end())
      whole.insert(whole.end(), attachment->second.after.begin(), attachment->second.after.end());
  }
  whole.insert(whole.end(), alone.begin(), alone.end());
  sequence = std::move(whole);
}

} // namespace tilerig::compiler
