// The threads of a stage: what of a tile goes on by itself, and the steps that each takes in order.
//
// A tile is seven threads: the sequencer, POD and PE, and two for each DMA engine, which reads and writes in
// phases of their own. A step is an instruction's turn on a thread: the sequencer puts it into a queue (or
// carries it out), the engine's threads execute it. Steps of a thread are numbered from 1, so that a number
// also says how many have ended. What a step needs besides its predecessor is written beside it when the
// stage is laid out, since programs do not branch: nearly always the end of one certain step of another
// thread.
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
inline constexpr unsigned threadsPerTile = 8; // a power of two; the last is unused

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
// The thread on which an instruction of the engine begins, and the one on which it finishes.
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
// Whether accesses of that kind happen on the thread, when its instruction has them.
constexpr bool takesPart(ThreadKind thread, AccessKind access) {
  return access == AccessKind::read ? !isDmaWrite(thread) : !isDmaRead(thread);
}
// The read thread that belongs to a write thread.
constexpr ThreadId readerOf(ThreadId writeThread) { return writeThread - 1; }

// The end of a step; ordinal 0 is the beginning of the stage.
struct Event {
  ThreadId thread = 0;
  uint32_t ordinal = 0;
  bool operator==(const Event &) const = default;
};

// What a step needs besides its predecessor and, on an engine, its issue.
enum class Need : uint8_t {
  nothing,
  event, // sync, wait: `event` has ended
  sum,   // wait: on a semaphore with several producers; `index` into StageThreads::sumWaits
  never, // wait: for more than all signals add up to
  space, // issue: a place in the engine's queue, which the instruction at `event` leaves when it finishes
  drain, // barrier: all engines have finished what they were given; `index` into StageThreads::drains
  meet,  // barrier: every member has come; `index` into StageThreads::meetings
};

struct Step {
  uint32_t instruction = 0;
  uint32_t issue = 0; // on an engine: the sequencer's step that put it into the queue
  Need need = Need::nothing;
  bool accesses = false; // reads or writes memory
  uint32_t index = 0;
  Event event = {};
};

struct TileThreads {
  std::vector<Step> sequencer;
  std::array<std::vector<Step>, numEngines> queues; // [sequencer] stays empty
};

// A signal and a wait as they stand in the program, with the step that finishes or holds up.
struct SignalStep {
  uint32_t tile = 0, semaphore = 0, amount = 0; // whose semaphore
  uint32_t instruction = 0;
  Event finish = {};
};
struct WaitStep {
  uint32_t tile = 0, semaphore = 0, value = 0;
  uint32_t instruction = 0;
  Event start = {};
};
// A tile comes to a barrier with step `arrival` and leaves it with the next.
struct BarrierStep {
  uint64_t tiles = 0;
  uint32_t instruction = 0;
  Event arrival = {};
};

// All members of a barrier. One that never comes has an arrival behind its last step.
struct Meeting {
  std::vector<Event> arrivals;
};

// A semaphore with several producers: the sum when a producer's steps up to `ordinal` have ended.
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
  std::vector<Event> before; // what has ended however the producers come in
};

struct StageThreads {
  uint32_t stage = 0;
  std::vector<TileThreads> tiles;
  std::vector<std::array<uint32_t, numEngines>> drains; // how many instructions each engine was given
  std::vector<SignalStep> signals;                      // by tile, then in order of the program
  std::vector<WaitStep> waits;
  std::vector<BarrierStep> barriers;
  std::vector<Meeting> meetings;
  std::vector<std::vector<Producer>> shared;
  std::vector<SumWait> sumWaits;
  std::vector<uint32_t> lastTouches; // see lastTouch()

  unsigned numThreads() const { return static_cast<unsigned>(tiles.size()) * threadsPerTile; }
  const std::vector<Step> &stepsOf(ThreadId thread) const {
    const TileThreads &tile = tiles[tileOfThread(thread)];
    return kindOf(thread) == ThreadKind::sequencer ? tile.sequencer
                                                   : tile.queues[static_cast<size_t>(engineOfThread(thread))];
  }
  std::vector<Step> &stepsOf(ThreadId thread) {
    return const_cast<std::vector<Step> &>(std::as_const(*this).stepsOf(thread));
  }
  // The last step of the thread that reads or writes the memory; 0 if none does.
  uint32_t lastTouch(MemoryId memory, ThreadId thread) const {
    return lastTouches[memory * numThreads() + thread];
  }
  uint32_t numSteps(ThreadId thread) const { return static_cast<uint32_t>(stepsOf(thread).size()); }
  const Step &step(Event event) const { return stepsOf(event.thread)[event.ordinal - 1]; }
  Step &step(Event event) { return stepsOf(event.thread)[event.ordinal - 1]; }
};

// Lays out a device stage, whose instructions are legal; a tile's program ends at its first halt. Waits and
// barriers still need what matchSemaphores and matchBarriers find. Without `capacity` queues hold any number
// of instructions.
StageThreads layOutStage(const Program &program, uint32_t stage, bool capacity);

} // namespace tilerig
