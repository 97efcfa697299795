// The threads of a stage (the concurrent parts of every tile) and the steps that each thread takes in order.
//
// A tile has seven threads: the sequencer, the POD (matrix engine), the PE (vector engine), and two for each
// DMA engine, whose read and write phases proceed separately. A step is the execution of one instruction on
// one thread: the sequencer puts it into a queue (or executes it itself), and the threads of the engine
// execute it. The steps of a thread are numbered from 1, so the number of a step is also the number of steps
// that have ended when it has ended. Besides its predecessor, a step may need another condition, nearly
// always the end of one certain step of another thread. Because programs do not branch, this need is known
// when the stage is laid out and is stored with the step.
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilerig {

enum class ThreadKind : uint8_t { sequencer, pod, pe, dmaInRead, dmaInWrite, dmaOutRead, dmaOutWrite };
inline constexpr unsigned numThreadKinds = 7;
// The number of thread ids for each tile: a power of two. A tile has seven threads, and its last id is
// unused.
inline constexpr unsigned threadsPerTile = 8;

using ThreadId = uint32_t;
constexpr ThreadId threadOf(unsigned tile, ThreadKind kind) {
  return tile * threadsPerTile + static_cast<unsigned>(kind);
}
constexpr unsigned tileOfThread(ThreadId thread) { return thread / threadsPerTile; }
constexpr unsigned slotOf(ThreadId thread) { return thread % threadsPerTile; }
constexpr ThreadKind kindOf(ThreadId thread) { return static_cast<ThreadKind>(slotOf(thread)); }

constexpr Engine engineOfThread(ThreadId thread) {
  constexpr std::array<Engine, numThreadKinds> engines = {Engine::sequencer, Engine::pod,   Engine::pe,
                                                          Engine::dmaIn,     Engine::dmaIn, Engine::dmaOut,
                                                          Engine::dmaOut};
  return engines[slotOf(thread)];
}
// The thread on which an instruction of the engine begins, and the thread on which it finishes.
constexpr ThreadKind startKind(Engine engine) {
  constexpr std::array<ThreadKind, numEngines> kinds = {
      ThreadKind::sequencer, ThreadKind::pod, ThreadKind::pe, ThreadKind::dmaInRead, ThreadKind::dmaOutRead};
  return kinds[static_cast<size_t>(engine)];
}
constexpr ThreadKind finishKind(Engine engine) {
  constexpr std::array<ThreadKind, numEngines> kinds = {ThreadKind::sequencer, ThreadKind::pod,
                                                        ThreadKind::pe, ThreadKind::dmaInWrite,
                                                        ThreadKind::dmaOutWrite};
  return kinds[static_cast<size_t>(engine)];
}
constexpr bool isDmaWrite(ThreadKind kind) {
  return kind == ThreadKind::dmaInWrite || kind == ThreadKind::dmaOutWrite;
}
constexpr bool isDmaRead(ThreadKind kind) {
  return kind == ThreadKind::dmaInRead || kind == ThreadKind::dmaOutRead;
}
// Whether a thread performs accesses of that kind: the read thread of a DMA engine only reads, its write
// thread only writes, all others do both.
constexpr bool takesPart(ThreadKind thread, AccessKind access) {
  return access == AccessKind::read ? !isDmaWrite(thread) : !isDmaRead(thread);
}
// The read thread of the DMA engine to which a write thread belongs.
constexpr ThreadId readerOf(ThreadId writeThread) { return writeThread - 1; }

// The point in time at which a thread ends its step of the given number. Steps are numbered from 1; number 0
// stands for the beginning of the stage.
struct Event {
  ThreadId thread = 0;
  uint32_t ordinal = 0;
  bool operator==(const Event &) const = default;
};

// The additional condition for which a step waits. Every step waits for its predecessor in the thread, and a
// step of an engine for the sequencer to issue it.
enum class Need : uint8_t {
  nothing,
  // The step executes a sync or wait: it waits until a certain step of another thread (`event`) has ended.
  event,
  // The step executes a wait on a semaphore that several threads signal; StageThreads::sumWaits[index]
  // describes the wait.
  sum,
  // The step waits for a semaphore value above the sum of all signals, so it never ends.
  never,
  // The step puts an instruction into a queue that is full: it waits until another instruction (`event`) has
  // left the queue.
  space,
  // The arrival of a tile at a barrier: the step waits until all engines of the tile have finished what was
  // issued to them, as StageThreads::drains[index] says.
  drain,
  // The departure of a tile from a barrier: the step waits until all tiles of the barrier's group have
  // arrived, as StageThreads::meetings[index] says.
  meet,
};

struct Step {
  uint32_t instruction = 0;
  // For a step of an engine, number of the sequencer's step that issued the instruction.
  uint32_t issue = 0;
  Need need = Need::nothing;
  bool accesses = false; // whether the step reads or writes memory
  uint32_t index = 0;
  Event event = {};
};

struct TileThreads {
  std::vector<Step> sequencer;
  // By engine: the steps of the instructions in its queue. The entry of the sequencer is empty, because the
  // sequencer has no queue.
  std::array<std::vector<Step>, numEngines> queues;
};

// A signal instruction; the semaphore is raised at the end of the step `finish`.
struct SignalStep {
  uint32_t tile = 0, semaphore = 0; // the semaphore: its tile, and its number in that tile
  uint32_t amount = 0;              // amount that the signal adds to the semaphore
  uint32_t instruction = 0;
  Event finish = {};
};
// A wait instruction; the step `start` cannot begin before the semaphore has the value.
struct WaitStep {
  uint32_t tile = 0, semaphore = 0, value = 0;
  uint32_t instruction = 0;
  Event start = {};
};
// A barrier in the program of one tile, which takes two steps of its sequencer: the tile arrives with step
// `arrival` and leaves with the next step.
struct BarrierStep {
  uint64_t tiles = 0;
  uint32_t instruction = 0;
  Event arrival = {};
};

// The arrivals of all member tiles at one barrier. For a tile that never arrives, the event lies after its
// last step.
struct Meeting {
  std::vector<Event> arrivals;
};

// One of several threads that signal the same semaphore. `sums` holds, for each step that signals, the sum of
// the thread's signals up to that step.
struct Producer {
  struct Sum {
    uint32_t ordinal = 0;
    uint64_t sum = 0;
  };
  ThreadId thread = 0;
  std::vector<Sum> sums;

  uint64_t sumAfter(uint32_t ordinal) const;
};
struct SumWait {
  uint32_t semaphore = 0; // index into StageThreads::shared
  uint64_t value = 0;
  // Steps that have certainly ended when the wait ends, in whatever order the producers signal.
  std::vector<Event> before;
};

struct StageThreads {
  uint32_t stage = 0;
  std::vector<TileThreads> tiles;
  // For each arrival at a barrier: the number of instructions issued to each engine before, all of which must
  // finish before the tile arrives.
  std::vector<std::array<uint32_t, numEngines>> drains;
  std::vector<SignalStep> signals; // all signals of the stage, by tile, then in program order
  std::vector<WaitStep> waits;
  std::vector<BarrierStep> barriers;
  std::vector<Meeting> meetings;
  std::vector<std::vector<Producer>> shared;
  std::vector<SumWait> sumWaits;
  // By memory, then by thread: the number of the thread's last step that accesses the memory (lastTouch()).
  std::vector<uint32_t> lastTouches;

  unsigned numThreads() const { return static_cast<unsigned>(tiles.size()) * threadsPerTile; }
  const std::vector<Step> &stepsOf(ThreadId thread) const {
    const TileThreads &tile = tiles[tileOfThread(thread)];
    return kindOf(thread) == ThreadKind::sequencer ? tile.sequencer
                                                   : tile.queues[static_cast<size_t>(engineOfThread(thread))];
  }
  std::vector<Step> &stepsOf(ThreadId thread) {
    return const_cast<std::vector<Step> &>(std::as_const(*this).stepsOf(thread));
  }
  // The ordinal of the thread's last step that reads or writes the memory; 0 if there is none.
  uint32_t lastTouch(MemoryId memory, ThreadId thread) const {
    return lastTouches[memory * numThreads() + thread];
  }
  uint32_t numSteps(ThreadId thread) const { return static_cast<uint32_t>(stepsOf(thread).size()); }
  const Step &step(Event event) const { return stepsOf(event.thread)[event.ordinal - 1]; }
  Step &step(Event event) { return stepsOf(event.thread)[event.ordinal - 1]; }
};

// Lays out the threads of a device stage, whose instructions must be legal. A tile's program ends at its
// first halt. The conditions of waits and of the steps that leave barriers (Step::need) are filled in later
// by matchSemaphores and matchBarriers. If `capacity` is false, queues are unbounded.
StageThreads layOutStage(const Program &program, uint32_t stage, bool capacity);

} // namespace tilerig
