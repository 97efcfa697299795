// Jobs: the instructions of a stage that touch memory, each with its time interval, and the decision which of
// them must run beat by beat.
//
// If a job shares no byte with any job that runs at the same time, executing it whole gives the same result
// as executing it beat by beat. This holds for nearly all instructions, even in a program with a race, so
// only the few jobs that share bytes bear the cost of running beat by beat.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

struct Job {
  // Thread that executes the instruction; for a transfer, the thread of its read phase.
  ThreadId thread = 0;
  uint32_t ordinal = 0, instruction = 0;
  // Cycles at which the instruction begins and ends. `writeBegin` is the beginning of a transfer's write
  // phase; for other instructions it equals `begin`.
  uint64_t begin = 0, writeBegin = 0, end = 0;
  bool byBeats = false;
  // Whether the instruction may overwrite bytes that it still has to read.
  bool overlapsItself = false;
};

// Returns the jobs of a stage that end (in a deadlock, some never do), sorted by their beginning, then by
// thread.
std::vector<Job> jobsOf(const StageCosts &costs, const Timeline &timeline);

// Two instructions (jobs) that write the same bytes at the same time; `first` began to write no later than
// `second`.
struct Collision {
  // The two colliding instructions, as indices into the list of jobs.
  uint32_t first = 0, second = 0;
  std::string_view operand; // name of the operand that the second instruction writes
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  ByteRange bytes;
};

// A memory access that belongs to no instruction: a bit flip, or the capture of a tensor (`isLook`). A
// capture reads memory after all instructions that end at its cycle and before all that begin at it.
struct Disturbance {
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  Region region;
  bool isLook = false;
};

// Marks every job (instruction) that must run beat by beat: because it overwrites its own input, or because
// it shares bytes with another job that runs at the same time, with a bit flip or with a capture. Returns the
// collisions (simultaneous writes to the same bytes), sorted by cycle.
std::vector<Collision> findMeetings(const Program &program, uint32_t stage,
                                    std::vector<Disturbance> disturbances, std::vector<Job> &jobs);

} // namespace tilerig::emulator
