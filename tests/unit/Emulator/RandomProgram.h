// Random programs that are free of races by construction: works of every kind on several tiles, transfers
// between them, multicasts, semaphores, local synchronisation and barriers, over several stages.
//
// Works are drawn one after another and each is ordered after all earlier ones that it conflicts with, by
// whatever the machine has for that, unless something before orders them already. The first stage fills the
// memories from the input, the last takes all of them to the outputs, so that nothing that goes wrong in
// between is lost.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Tensor/TensorMap.h"
#include "tests/support/Random.h"

namespace tilerig::test {

struct RandomProgram {
  Program program;
  TensorMap inputs;
};

// A program of `numWorks` works in each of one to three stages on so many tiles of the machine.
RandomProgram raceFreeProgram(uint64_t seed, const Machine &machine, unsigned tiles, unsigned numWorks);

// The same with one piece of synchronisation less: a local sync, a wait with what makes up for its signal, or
// a barrier of all its members. False if there is none.
bool loseSynchronisation(Program &program, Random &random);

} // namespace tilerig::test
