// What is scheduled: the instructions of one device stage that compute or move, before they are ordered.
//
// The code generator lists them in an order that is right if each begins after all before it have ended, and
// need not think of engines, queues or synchronisation. Markers and delays may stand among them; they touch
// no bytes and go with the task beside them (Order.h). No other control instruction may.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <vector>

namespace tilerig {

struct Task {
  uint32_t tile = 0;
  Instruction instruction; // legal on that tile; its layer is filled in
  uint32_t turn = 0;       // of the plan in which it was listed, for whoever shows tasks
  uint32_t image = 0;      // for which it is, of a batch whose images go one after another
  bool isPatient = false;  // a write to DDR that is to leave reads most of it
};
using TaskList = std::vector<Task>;

// The engines of all tiles as one list; the sequencer is none of them.
using EngineId = uint32_t;
inline constexpr unsigned enginesPerTile = numEngines - 1;
constexpr EngineId engineId(unsigned tile, Engine engine) {
  return tile * enginesPerTile + static_cast<unsigned>(engine) - 1;
}
constexpr unsigned tileOfEngine(EngineId id) { return id / enginesPerTile; }
constexpr Engine engineOfId(EngineId id) { return static_cast<Engine>(id % enginesPerTile + 1); }
constexpr bool isDma(Engine engine) { return engine == Engine::dmaIn || engine == Engine::dmaOut; }

// Whether it is a marker or a delay.
inline bool isControl(const Instruction &instruction) {
  return std::visit([]<class T>(const T &) { return T::opcode < Opcode::load; }, instruction);
}
// Of a task that is none.
inline EngineId engineId(const Task &task) { return engineId(task.tile, engineOf(task.instruction)); }

// The engine of every task; `none` where it is a marker or a delay.
inline constexpr EngineId noEngine = UINT32_MAX;
inline std::vector<EngineId> enginesOf(const TaskList &tasks) {
  std::vector<EngineId> engines;
  engines.reserve(tasks.size());
  for (const Task &task : tasks)
    engines.push_back(isControl(task.instruction) ? noEngine : engineId(task));
  return engines;
}

} // namespace tilerig
