// Jobs: the instructions of a stage that touch memory, each with its time interval, and the decision which of
// them must run beat by beat.
//
// If a job shares no byte with any job that runs at the same time, executing it whole gives the same result
// as executing it beat by beat. This holds for nearly all instructions, even in a program with a race, so
// only jobs that do share bytes pay for beats.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

struct Job {
  ThreadId thread = 0; // thread that begins the job: for a transfer, the one that reads
  uint32_t ordinal = 0, instruction = 0;
  uint64_t begin = 0, writeBegin = 0, end = 0; // of a transfer, `end` is the end of both phases
  bool byBeats = false;
  bool overlapsItself = false; // writes bytes that it may not have read yet
};

// The jobs that have ended according to the timeline, sorted by begin, then thread.
std::vector<Job> jobsOf(const StageCosts &costs, const Timeline &timeline);

// Two jobs that write the same bytes at the same time; `first` began no later than `second`.
struct Collision {
  uint32_t first = 0, second = 0; // indices into the list of jobs
  std::string_view operand;       // operand of the second job
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  ByteRange bytes;
};

// An access by something other than a job: bytes that change by themselves at a cycle (bit flip), or a
// capture (`isLook`) that reads them after all jobs that end at that cycle and before all that begin then.
struct Disturbance {
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  Region region;
  bool isLook = false;
};

// Marks jobs to run by beats if they share bytes with a simultaneous job or with a disturbance, or overwrite
// their own input. Returns the collisions sorted by cycle.
std::vector<Collision> findMeetings(const Program &program, uint32_t stage,
                                    std::vector<Disturbance> disturbances, std::vector<Job> &jobs);

} // namespace tilerig::emulator
