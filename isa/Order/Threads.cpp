#include "isa/Order/Threads.h"

#include <algorithm>
#include <bit>

namespace tilerig {

uint64_t Producer::sumAfter(uint32_t ordinal) const {
  auto after = std::ranges::upper_bound(sums, ordinal, {}, &Sum::ordinal);
  return after == sums.begin() ? 0 : std::prev(after)->sum;
}

namespace {

// Lists the steps of all threads of a tile by going through the tile's program as its sequencer does.
class Layout {
public:
  Layout(StageThreads &stage, unsigned tile, uint64_t allTiles, unsigned depth)
      : stage(stage), threads(stage.tiles[tile]), tile(tile), allTiles(allTiles), depth(depth) {}

  void walk(const std::vector<Instruction> &code) {
    for (index = 0; index < code.size(); ++index) {
      std::visit([&](const auto &typed) { lay(typed); }, code[index]);
      if (std::holds_alternative<Halt>(code[index]))
        return;
    }
  }

private:
  std::vector<Step> &queue(Engine engine) { return threads.queues[static_cast<size_t>(engine)]; }
  ThreadId thread(ThreadKind kind) const { return threadOf(tile, kind); }

  // Appends the steps of an instruction: the sequencer's step that issues it and, for an engine, the step in
  // its queue. Returns the step that executes it.
  Event place(Engine engine, bool accesses) {
    Step issue{.instruction = index};
    if (engine == Engine::sequencer) {
      threads.sequencer.push_back(issue);
      return {thread(ThreadKind::sequencer), static_cast<uint32_t>(threads.sequencer.size())};
    }
    auto &steps = queue(engine);
    if (steps.size() >= depth) {
      issue.need = Need::space;
      issue.event = {thread(finishKind(engine)), static_cast<uint32_t>(steps.size() - depth + 1)};
    }
    threads.sequencer.push_back(issue);
    steps.push_back({.instruction = index,
                     .issue = static_cast<uint32_t>(threads.sequencer.size()),
                     .accesses = accesses});
    return {thread(startKind(engine)), static_cast<uint32_t>(steps.size())};
  }
  Event placeControl(Engine engine) { return place(engine, false); }

  // The POD and the PE, the matrix and the vector engine, access only the tile's own memory; transfers state
  // their memories in their streams.
  template <ComputeInstruction T>
  void lay(const T &instruction) {
    touch(ocmOf(tile), place(engineOf(instruction), true));
  }
  void lay(const Load &load) { layTransfer(load, memoryOf(load.source, tile), ocmOf(tile)); }
  void lay(const Store &store) { layTransfer(store, ocmOf(tile), memoryOf(store.destination, tile)); }
  void lay(const Gather &gather) {
    const Event start = layTransfer(gather, memoryOf(gather.source, tile), ocmOf(tile));
    touch(ocmOf(tile), start); // a gather reads its indices from the tile's own on-chip memory
  }
  void lay(const Multicast &multicast) {
    const Event start = layTransfer(multicast, memoryOf(multicast.source, tile), ocmOf(tile));
    for (uint64_t rest = multicast.tiles; rest != 0; rest &= rest - 1)
      touch(ocmOf(static_cast<unsigned>(std::countr_zero(rest))), {start.thread + 1, start.ordinal});
  }
  template <class T>
  Event layTransfer(const T &instruction, MemoryId source, MemoryId destination) {
    const Event start = place(engineOf(instruction), true);
    touch(source, start);
    // The write thread of a DMA engine has the id of the read thread, plus 1.
    touch(destination, {start.thread + 1, start.ordinal});
    return start;
  }
  void touch(MemoryId memory, Event step) {
    stage.lastTouches[memory * stage.numThreads() + step.thread] = step.ordinal;
  }

  void lay(const Halt &) { placeControl(Engine::sequencer); }
  void lay(const Delay &delay) { placeControl(delay.engine); }
  void lay(const Marker &marker) { placeControl(marker.engine); }

  void lay(const Sync &sync) {
    const size_t before = queue(sync.on).size();
    const Event start = placeControl(sync.engine);
    if (before > sync.pending) {
      Step &step = stage.step(start);
      step.need = Need::event;
      step.event = {thread(finishKind(sync.on)), static_cast<uint32_t>(before - sync.pending)};
    }
  }
  void lay(const Signal &signal) {
    const uint32_t ordinal = placeControl(signal.engine).ordinal;
    stage.signals.push_back(
        {signal.tile, signal.semaphore, signal.amount, index, {thread(finishKind(signal.engine)), ordinal}});
  }
  void lay(const Wait &wait) {
    const Event start = placeControl(wait.engine);
    stage.waits.push_back({tile, wait.semaphore, wait.value, index, start});
  }
  void lay(const GroupBarrier &barrier) { layBarrier(barrier.tiles); }
  void lay(const GlobalBarrier &) { layBarrier(allTiles); }
  void layBarrier(uint64_t members) {
    const Event arrival = placeControl(Engine::sequencer);
    Step &step = stage.step(arrival);
    step.need = Need::drain;
    step.index = static_cast<uint32_t>(stage.drains.size());
    auto &issuedCounts = stage.drains.emplace_back();
    for (size_t engine = 1; engine < numEngines; ++engine)
      issuedCounts[engine] = static_cast<uint32_t>(threads.queues[engine].size());
    stage.barriers.push_back({members, index, arrival});
    placeControl(Engine::sequencer);
  }

  StageThreads &stage;
  TileThreads &threads;
  unsigned tile;
  uint64_t allTiles;
  unsigned depth;
  uint32_t index = 0;
};

} // namespace

StageThreads layOutStage(const Program &program, uint32_t stage, bool capacity) {
  StageThreads threads;
  threads.stage = stage;
  const auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles;
  threads.tiles.resize(code.size());
  threads.lastTouches.resize((code.size() + 1) * threads.numThreads());
  const uint64_t allTiles = code.size() >= 64 ? ~uint64_t{0} : (uint64_t{1} << code.size()) - 1;
  const unsigned depth = capacity ? program.machine.tile.queueDepth : UINT32_MAX;
  for (unsigned tile = 0; tile < code.size(); ++tile)
    Layout(threads, tile, allTiles, depth).walk(code[tile]);
  return threads;
}

} // namespace tilerig
