// Tasks, the input of the scheduler: the instructions of one device stage that compute or move data, without
// synchronisation.
//
// The code generator lists the tasks in such an order that the results are right if each task begins after
// the end of all tasks before it. The generator need not know about engines, queues or synchronisation.
// Markers and delays may be in the list; they access no bytes and stay with a neighbouring task (Order.h).
// Other control instructions are not allowed.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <vector>

namespace tilerig::compiler {

struct Task {
  uint32_t tile = 0;
  Instruction instruction; // an instruction that is legal on `tile` and states its layer
  // time step in the tile plan; scheduling does not use it, but metadata and listings do
  uint32_t timeStep = 0;
  // if the elements of the batch are computed one after another: index of the element
  uint32_t image = 0;
  bool isPatient = false; // whether the task is a write to DDR that has lower priority than reads
};
using TaskList = std::vector<Task>;

// Number of an engine, counted over all tiles; sequencers are not counted.
using EngineId = uint32_t;
inline constexpr unsigned enginesPerTile = numEngines - 1;
constexpr EngineId engineId(unsigned tile, Engine engine) {
  return tile * enginesPerTile + static_cast<unsigned>(engine) - 1;
}
constexpr unsigned tileOfEngine(EngineId id) { return id / enginesPerTile; }
constexpr Engine engineOfId(EngineId id) { return static_cast<Engine>(id % enginesPerTile + 1); }
constexpr bool isDma(Engine engine) { return engine == Engine::dmaIn || engine == Engine::dmaOut; }

// The engine that executes a task, which must compute or move data.
inline EngineId engineId(const Task &task) { return engineId(task.tile, engineOf(task.instruction)); }

// The engine of each task; noEngine for markers and delays, the only control instructions among tasks.
inline constexpr EngineId noEngine = UINT32_MAX;
inline std::vector<EngineId> enginesOf(const TaskList &tasks) {
  std::vector<EngineId> engines;
  engines.reserve(tasks.size());
  for (const Task &task : tasks)
    engines.push_back(isControl(task.instruction) ? noEngine : engineId(task));
  return engines;
}

} // namespace tilerig::compiler
