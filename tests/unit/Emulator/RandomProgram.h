// Generator of random programs that are free of races by construction: compute and transfer instructions on
// several tiles, multicasts, semaphores, local syncs and barriers, over several stages.
//
// Instructions are drawn one after another. Each is ordered after all earlier instructions that it conflicts
// with, by any mechanism of the machine, unless they are already ordered. The first stage fills the memories
// from the input and the last stage copies all memories to the outputs, so that every error in between is
// visible.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"
#include "tests/support/Random.h"

namespace tilerig::test {

struct RandomProgram {
  Program program;
  TensorMap inputs;
};

// A program with `numOps` compute or transfer instructions in each of one to three stages, on `tiles`
// tiles.
RandomProgram raceFreeProgram(uint64_t seed, const Machine &machine, unsigned tiles, unsigned numOps);

// Removes one random synchronisation: a local sync, a wait together with its signal, or a barrier with all
// its members. Returns false if the program has none.
bool loseSynchronisation(Program &program, Random &random);

} // namespace tilerig::test
