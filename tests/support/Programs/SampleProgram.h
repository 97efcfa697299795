// Generator of random legal programs that contain everything a program file can hold. They compute nothing
// sensible; every field of the metadata takes values that a careless reader or writer would lose.
#pragma once

#include "isa/Program/Program.h"
#include "tests/support/Random.h"

namespace tilerig::test {

struct SampleLimits {
  unsigned tiles = 4, stages = 4, instructions = 6, tensors = 4, constants = 3;
  size_t constantBytes = 5000; // size of each constant in bytes
};

Program sampleProgram(Random &random, const Machine &machine, const SampleLimits &limits = {});

// The smallest legal program: one stage, two tiles that halt, a tensor, a constant and a layer.
Program smallestProgram(const Machine &machine);

// A constant of a program at an address in DDR; the constant owns its bytes.
ConstantData constantOf(uint64_t address, std::vector<std::byte> bytes);

// Attaches the proof that the program is free of races; the proof names the program's current content hash.
void addProof(Program &program);

} // namespace tilerig::test
