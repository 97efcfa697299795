// The timing simulation of a device stage: when every step of every engine begins and ends.
//
// A step begins when its predecessor in the thread has ended, the sequencer has issued the step, and what the
// step waits for has happened. It ends after its latency. Only transfers compete: the resources they share
// (DDR as a whole, its ports, the links between routers) are granted in chunks, first come, first served,
// ties broken by tile. So all other times are computed as soon as the times that they depend on are known,
// and only the chunks go through an event queue ordered by time.
//
// Values are not simulated. In a program that is proved free of races, results do not depend on timing, and
// in any program timing does not depend on values. So programs with races can be timed, too: if a wait is
// never satisfied, or waits form a cycle, the threads concerned stop there and all others run as far as they
// can.
#pragma once

#include "isa/Timeline/Costs.h"

namespace tilerig {

struct TimelineOptions {
  uint64_t begin = 0; // cycle of the run at which the stage begins
  // If set, the seed of random factors from 1 to 4 by which latencies are stretched. Each factor depends on
  // the seed and the step alone.
  std::optional<uint64_t> jitter;
  // Whether to record when the chunks of each transfer phase have been transferred.
  bool transfers = false;
};

// The reason why a thread was idle.
enum class Stall : uint8_t {
  none,
  issue,     // the thread had no instruction, because none had been issued to it
  sync,      // a sync waited for another engine of the tile
  semaphore, // a wait for a semaphore was not satisfied
  space,     // the sequencer waited for space in an engine's queue
  barrier,
  data,      // a transfer could not begin to write, because it had not read its first byte yet
  contention // a transfer waited, because DDR, a DDR port or a link was busy
};
inline constexpr size_t numStalls = 8;
template <>
struct EnumNames<Stall> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"none", "issue", "sync", "semaphore", "queue_full", "barrier", "data", "contention"});
};

struct StepTime {
  uint64_t begin = 0, end = 0;
};

// A transfer phase that was split into ticks.size() - 1 equal chunks: ticks[i] is when i of them have gone
// through.
struct PhaseTicks {
  uint32_t ordinal = 0; // number of the transfer's step in its thread, from 1
  std::vector<uint64_t> ticks;
};

struct Timeline {
  // Times of all ended steps, by thread, then by number of the step.
  std::vector<std::vector<StepTime>> steps;
  // By thread: number of ended steps; fewer than all if the thread is stuck.
  std::vector<uint32_t> ended;
  // The transfer phases of each thread, in order; empty unless TimelineOptions::transfers is set.
  std::vector<std::vector<PhaseTicks>> phases;
  // Per thread: cycles spent working, and idle cycles by reason.
  std::vector<uint64_t> busy;
  std::vector<std::array<uint64_t, numStalls>> stalled;
  // Idle cycles by the layer of the waiting instruction and the reason, over all threads.
  std::map<uint32_t, std::array<uint64_t, numStalls>> layerStalled;
  uint64_t end = 0; // cycle of the run at which the stage ends
};

Timeline timeStage(const StageCosts &stage, const Program &program, const TimelineOptions &options);

// The cycles that a step takes instead of `cycles` with a seed of random factors (TimelineOptions::jitter); `cycles` without one.
uint64_t jitteredCycles(uint64_t cycles, Event step, std::optional<uint64_t> jitter);

// Number of cycles from the beginning of a device stage to the end of its last step. The program must be
// proved free of races and deadlocks, or come from the compiler.
uint64_t cyclesOfStage(const Program &program, uint32_t stage);

} // namespace tilerig
