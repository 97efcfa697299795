#include "compiler/Planning/Schedule/EmitStage.h"

#include "isa/Machine/Topology.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

class Emitter {
public:
  Emitter(const TaskList &tasks, const SyncPlan &plan, unsigned tiles)
      : tasks(tasks), plan(plan), tiles(tiles), issued(tiles * enginesPerTile), places(tasks.size()),
        lines(issued.size() * tiles), numSemaphores(tiles) {
    stage.tiles.resize(tiles);
  }

  DeviceStage emit() {
    for (const SyncAction &action : plan.actions)
      emit(action);
    for (auto &code : stage.tiles) {
      code.push_back(Halt{.layer = code.empty() ? 0 : layerOf(code.back())});
      code.shrink_to_fit(); // large programs take more than 100 MB
    }
    return std::move(stage);
  }

private:
  // The signals that one engine sends to one tile; all of them increment the same semaphore.
  struct Line {
    struct Sent {
      uint32_t place; // position, in the engine's queue, of the task that precedes the signal
      uint32_t value; // value of the semaphore after the signal
    };
    bool isNew = true;
    uint8_t semaphore = 0;
    uint32_t value = 0;
    std::vector<Sent> sent;
  };

  void emit(const SyncAction &action) {
    const uint32_t layer = layerOf(tasks[action.task].instruction);
    switch (action.kind) {
    case SyncActionKind::task:
      return emitTask(action.task);
    case SyncActionKind::sync:
      return emitSync(action.source, layer, engineOfId(action.engine));
    case SyncActionKind::blockingSync:
      return emitSync(action.source, layer, Engine::sequencer);
    case SyncActionKind::wait:
      return emitWait(action, layer);
    case SyncActionKind::relay: {
      const unsigned tile = tileOfEngine(action.engine);
      signal(action.signaller, tile, layer);
      const Line &line = lineOf(action.signaller, tile);
      return wait(action.engine, layer, line.semaphore, line.value);
    }
    case SyncActionKind::barrier:
      return emitBarrier(action.tiles, layer);
    }
  }

  void emitTask(uint32_t task) {
    const Instruction &instruction = tasks[task].instruction;
    const Engine engine = engineOf(instruction);
    put(tasks[task].tile, engine, instruction);
    if (engine == Engine::sequencer)
      return;
    const EngineId id = engineId(tasks[task].tile, engine);
    places[task] = issued[id];
    forEachTile(plan.signalTo[task], [&](unsigned tile) {
      signal(id, tile, layerOf(instruction));
      lineOf(id, tile).sent.push_back({places[task], lineOf(id, tile).value});
    });
  }

  // Emits a sync instruction that waits for the end of the task `source`. A sync states in a field of eight
  // bits how many later instructions of the engine's queue may still be pending. If there are more than 255
  // later instructions, the sync waits for the one that has 255 behind it.
  void emitSync(uint32_t source, uint32_t layer, Engine engine) {
    const unsigned tile = tasks[source].tile;
    const Engine on = engineOf(tasks[source].instruction);
    const uint32_t since = issued[engineId(tile, on)] - places[source];
    put(tile, engine,
        Sync{.layer = layer,
             .engine = engine,
             .on = on,
             .pending = static_cast<uint8_t>(std::min<uint32_t>(since, UINT8_MAX))});
  }

  void emitWait(const SyncAction &action, uint32_t layer) {
    const EngineId from = engineId(tasks[action.source]);
    const Line &line = lineOf(from, tileOfEngine(action.engine));
    const auto sent = std::ranges::lower_bound(line.sent, places[action.source], {}, &Line::Sent::place);
    wait(action.engine, layer, line.semaphore, sent->value);
  }

  void emitBarrier(uint64_t members, uint32_t layer) {
    const bool isGlobal = members == allTiles(tiles);
    forEachTile(members, [&](unsigned tile) {
      put(tile, Engine::sequencer,
          isGlobal ? Instruction(GlobalBarrier{.layer = layer})
                   : Instruction(GroupBarrier{.layer = layer, .tiles = members}));
    });
  }

  void signal(EngineId from, unsigned tile, uint32_t layer) {
    Line &line = lineOf(from, tile);
    if (line.isNew)
      line.semaphore = static_cast<uint8_t>(numSemaphores[tile]++);
    line.isNew = false;
    ++line.value;
    put(tileOfEngine(from), engineOfId(from),
        Signal{.layer = layer,
               .engine = engineOfId(from),
               .tile = static_cast<uint8_t>(tile),
               .semaphore = line.semaphore});
  }

  void wait(EngineId engine, uint32_t layer, uint8_t semaphore, uint32_t value) {
    put(tileOfEngine(engine), engineOfId(engine),
        Wait{.layer = layer, .engine = engineOfId(engine), .semaphore = semaphore, .value = value});
  }

  void put(unsigned tile, Engine engine, const Instruction &instruction) {
    stage.tiles[tile].push_back(instruction);
    if (engine != Engine::sequencer)
      ++issued[engineId(tile, engine)];
  }
  Line &lineOf(EngineId from, unsigned tile) { return lines[size_t{from} * tiles + tile]; }

  const TaskList &tasks;
  const SyncPlan &plan;
  unsigned tiles;
  // How many instructions each engine's queue has received so far, control instructions included.
  std::vector<uint32_t> issued;
  std::vector<uint32_t> places; // position of each task in the queue of its engine, counted from 1
  std::vector<Line> lines;
  std::vector<uint32_t> numSemaphores; // for each tile, the number of its semaphores in use
  DeviceStage stage;
};

} // namespace

DeviceStage emitStage(const TaskList &tasks, const SyncPlan &plan, unsigned tiles) {
  return Emitter(tasks, plan, tiles).emit();
}

} // namespace tilerig::compiler
