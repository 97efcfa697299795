// Random legal programs, with everything in them that a program file can hold. They do nothing sensible: what
// counts is that every field of the metadata takes values that a careless reader or writer would lose.
#pragma once

#include "isa/Program/Program.h"
#include "tests/support/Random.h"

namespace tilerig::test {

struct SampleLimits {
  unsigned tiles = 4, stages = 4, instructions = 6, tensors = 4, constants = 3;
  size_t constantBytes = 5000; // of each
};

Program sampleProgram(Random &random, const Machine &machine, const SampleLimits &limits = {});

// Legal and as small as it gets: one stage, two tiles that halt, a tensor, a constant, a layer.
Program smallestProgram(const Machine &machine);

// Constants that own their bytes.
ConstantData constantOf(uint64_t address, std::vector<std::byte> bytes);

// Sets a proof that is right for the program as it stands.
void addProof(Program &program);

} // namespace tilerig::test
