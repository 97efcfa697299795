// What the engines, queues and semaphores of the tiles are doing at a moment of a stage, according to its timeline.
#pragma once

#include "isa/Timeline/Timeline.h"

#include <optional>

namespace tilerig::emulator {

enum class Activity : uint8_t {
  working, // it executes the step
  waiting, // what the step waits for has not happened yet, or the step has not been issued
  stuck,   // the step is the next one, and can never begin
  done     // it has no steps left
};
} // namespace tilerig::emulator
template <>
struct tilerig::EnumNames<tilerig::emulator::Activity> {
  static constexpr auto values = std::to_array<std::string_view>({"works", "waits", "stuck", "done"});
};

namespace tilerig::emulator {

// State of a thread: of a sequencer, the POD (matrix engine), the PE (vector engine), or of the read or write phase of a DMA
// engine.
struct ThreadState {
  ThreadId thread = 0;
  Activity activity = Activity::done;
  uint32_t ordinal = 0;     // number of the step, from 1
  uint32_t instruction = 0; // of the step
  // Of the step; not known if the thread is stuck. An instruction that only waits begins when it begins to wait.
  StepTime time = {};
  // What the step waits for.
  Need need = Need::nothing;
  Event event = {};
  // Instructions that the sequencer has put into the engine's queue and that have not begun, in order.
  std::vector<uint32_t> queue = {};
};

// State of a semaphore of a tile.
struct SemaphoreState {
  uint32_t tile = 0, semaphore = 0;
  uint64_t value = 0;
  uint64_t waitedFor = 0; // the largest value that an instruction waits for now; 0 if none does
};

// A change of a semaphore's value.
struct SemaphoreChange {
  uint32_t tile = 0, semaphore = 0;
  uint64_t cycle = 0;
  uint64_t value = 0; // from this cycle on
};

class EngineStates {
public:
  // The objects must outlive this one. `jitter` is the seed with which the timeline was computed.
  EngineStates(const StageCosts &costs, const Timeline &timeline, std::optional<uint64_t> jitter);

  // At the beginning of a cycle: a step that begins then has not begun yet, unless it takes no time.
  ThreadState threadAt(ThreadId thread, uint64_t cycle) const;
  // The semaphores of the stage whose value is not 0 or that an instruction waits for, by tile and number.
  std::vector<SemaphoreState> semaphoresAt(uint64_t cycle) const;
  const std::vector<SemaphoreChange> &semaphoreChanges() const { return changes; }
  // The step of an instruction in the thread on which it begins; nothing if it is not reached (it is after a halt).
  std::optional<Event> stepOf(const DeviceStage &code, uint32_t tile, uint32_t instruction) const;

private:
  uint32_t begunBefore(ThreadId thread, uint64_t cycle) const;

  const StageCosts &costs;
  const Timeline &timeline;
  std::vector<SemaphoreChange> changes; // by tile, semaphore, then cycle
};

} // namespace tilerig::emulator
