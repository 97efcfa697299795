// The instructions of a stage that touch memory, with the time that each has for it; and which of them must
// go by beats.
//
// Whoever shares no byte with anyone that works at the same time cannot tell whether it is carried out beat
// by beat or whole. Nearly all instructions are so, even of a program with a race; only those that meet pay
// for beats.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig {

struct Job {
  ThreadId thread = 0; // that begins it: of a transfer, the one that reads
  uint32_t ordinal = 0, instruction = 0;
  uint64_t begin = 0, writeBegin = 0, end = 0; // of a transfer the end of both phases
  bool byBeats = false;
  bool overlapsItself = false; // writes where it may not have read yet
};

// Those that the timeline says have ended, by begin, then thread.
std::vector<Job> jobsOf(const StageCosts &costs, const Timeline &timeline);

// Two jobs write the same bytes at the same time; `first` began to, no later.
struct Collision {
  uint32_t first = 0, second = 0; // indices of jobs
  std::string_view operand;       // of the second
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  ByteRange bytes;
};

// Bytes that change at a cycle by themselves, or that somebody looks at who comes behind all that ends then,
// and before all that begins.
struct Disturbance {
  uint64_t cycle = 0;
  MemoryId memory = ddrMemory;
  Region region;
  bool isLook = false;
};

// Marks the jobs that share bytes with another one at the same time, or with a disturbance, or overwrite what
// they read themselves. Collisions are by cycle.
std::vector<Collision> findMeetings(const Program &program, uint32_t stage,
                                    std::vector<Disturbance> disturbances, std::vector<Job> &jobs);

} // namespace tilerig
