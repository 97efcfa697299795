// Small random programs whose every interleaving can be looked at.
//
// A few transfers, POD and PE instructions on few bytes of few tiles, so that most conflict. Three kinds:
// ordered by construction (every conflicting pair gets a sync, a signal and a wait, or a barrier), the same
// with one piece of synchronisation deleted, moved, swapped or altered, and with synchronisation sprinkled at
// random.
#pragma once

#include "isa/Program/Program.h"
#include "tests/support/Random.h"
#include "tests/unit/Analyser/Interleavings.h"

namespace tilerig::test {

enum class Making : uint8_t { ordered, mutated, sprinkled };

struct RandomProgram {
  Program program; // the last stage is the one to be looked at; another may stand before it that initialises
                   // memory
  Making making = Making::ordered;
  InitialBytes initial; // before the last stage
};

RandomProgram randomProgram(uint64_t seed);
// One with that many data instructions on four tiles: too large for every interleaving.
RandomProgram largeRandomProgram(uint64_t seed, unsigned numOps);
// `machine` is tiny, with queues of that depth.
Machine machineWithQueues(uint32_t depth);

} // namespace tilerig::test
