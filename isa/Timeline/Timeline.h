// When everything in a stage happens.
//
// A step begins when the one before it in its thread has ended, when it has been issued, and when what it
// waits for has come; it ends after its latency. Only transfers compete: what they share (DDR as a whole, its
// ports, the links between routers) is granted in chunks, first come, first served, ties by tile. So all else
// is computed the moment that it is known, and just the chunks go through a queue of events ordered by time.
//
// Values are not looked at. What a proved program computes does not depend on when; what any program costs
// does not depend on what. So programs without a proof are timed here too: a wait that nothing satisfies, or
// a circle of waits, leaves the threads concerned where they are, and all others go as far as they get.
#pragma once

#include "isa/Timeline/Costs.h"

namespace tilerig {

struct TimelineOptions {
  uint64_t begin = 0; // the cycle at which the stage begins
  // Stretches every latency by a random factor from 1 to 4 that depends on the seed and the step alone.
  std::optional<uint64_t> jitter;
  // Whether to note when the parts of each transfer go through.
  bool transfers = false;
};

// Why a thread did not work.
enum class Stall : uint8_t {
  none,
  issue,     // nothing had been issued to it
  sync,      // a local sync
  semaphore, // a wait for a semaphore
  space,     // the sequencer: a full queue
  barrier,
  data,      // a write phase: the first byte had not come
  contention // DDR or a link was taken
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

// A phase of a transfer: ticks[i] is when i of ticks.size() - 1 even parts have gone through.
struct PhaseTicks {
  uint32_t ordinal = 0; // of the step
  std::vector<uint64_t> ticks;
};

struct Timeline {
  std::vector<std::vector<StepTime>> steps; // by thread, then step; those that ended
  std::vector<uint32_t> ended;              // by thread: how many steps did; all, unless the stage gets stuck
  std::vector<std::vector<PhaseTicks>> phases; // by thread, in order; if asked for
  // By thread: cycles in which it worked, and in which it did not, by reason.
  std::vector<uint64_t> busy;
  std::vector<std::array<uint64_t, numStalls>> stalled;
  // The same by the layer of the instruction that had to wait, all threads together.
  std::map<uint32_t, std::array<uint64_t, numStalls>> layerStalled;
  uint64_t end = 0; // of the stage
};

Timeline timeStage(const StageCosts &stage, const Program &program, const TimelineOptions &options);

// From the beginning of a device stage to the end of its last step; of a program that is proved or was made
// by the compiler.
uint64_t cyclesOfStage(const Program &program, uint32_t stage);

} // namespace tilerig
