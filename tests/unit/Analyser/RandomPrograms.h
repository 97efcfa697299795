// Generator of random programs that are small enough to explore every interleaving.
//
// A program has a few transfers and a few instructions of the engines POD and PE, on few bytes of few tiles,
// so that most of them conflict. Three kinds: ordered by construction (every conflicting pair gets a sync, a
// signal and a wait, or a barrier); the same with one synchronisation deleted, moved, swapped or altered; and
// with synchronisation inserted at random.
#pragma once

#include "isa/Program/Program.h"
#include "tests/support/Random.h"
#include "tests/unit/Analyser/Interleavings.h"

namespace tilerig::test {

enum class Making : uint8_t { ordered, mutated, sprinkled };

struct RandomProgram {
  // Only the last stage of the program is tested; a stage before it may initialise memory.
  Program program;
  Making making = Making::ordered;
  InitialBytes initial; // bytes that are initialised before the last stage
};

RandomProgram randomProgram(uint64_t seed);
// A program with `numOps` data instructions on four tiles: too large to explore every interleaving.
RandomProgram largeRandomProgram(uint64_t seed, unsigned numOps);
// The machine `tiny` with engine queues of the given depth.
Machine machineWithQueues(uint32_t depth);

} // namespace tilerig::test
