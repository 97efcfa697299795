// Generator of random legal instructions: every instruction type, engine, memory space, element type and
// function equally likely, of irregular shapes. The instructions are legal by construction and made without
// the checker, because they test the checker.
//
// Operands of one instruction never overlap in memory, so its result does not depend on the order of its
// reads and writes.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "tests/support/Random.h"

namespace tilerig::test {

// The place of an instruction: the program of `tile`, on a machine with `tiles` tiles in use.
struct Site {
  const Machine &machine;
  unsigned tile = 0, tiles = 1;
  uint32_t maxElements = 4096; // limit for one operand; its bytes also stay below a sixteenth of the OCM
};

// A random instruction; all types are equally likely.
Instruction randomInstruction(Random &random, const Site &site);

// Fills an instruction of the given type with random legal fields.
void draw(Halt &it, Random &random, const Site &site);
void draw(Sync &it, Random &random, const Site &site);
void draw(Signal &it, Random &random, const Site &site);
void draw(Wait &it, Random &random, const Site &site);
void draw(GroupBarrier &it, Random &random, const Site &site);
void draw(GlobalBarrier &it, Random &random, const Site &site);
void draw(Delay &it, Random &random, const Site &site);
void draw(Marker &it, Random &random, const Site &site);
void draw(Load &it, Random &random, const Site &site);
void draw(Store &it, Random &random, const Site &site);
void draw(Multicast &it, Random &random, const Site &site);
void draw(Gather &it, Random &random, const Site &site);
void draw(Matmul &it, Random &random, const Site &site);
void draw(Conv &it, Random &random, const Site &site);
void draw(Binary &it, Random &random, const Site &site);
void draw(Select &it, Random &random, const Site &site);
void draw(Activate &it, Random &random, const Site &site);
void draw(Lookup &it, Random &random, const Site &site);
void draw(Pool &it, Random &random, const Site &site);
void draw(Reduce &it, Random &random, const Site &site);
void draw(Softmax &it, Random &random, const Site &site);
void draw(Normalize &it, Random &random, const Site &site);
void draw(Copy &it, Random &random, const Site &site);
void draw(Flatten &it, Random &random, const Site &site);
void draw(Resize &it, Random &random, const Site &site);
void draw(Fill &it, Random &random, const Site &site);

template <class T>
T randomOf(Random &random, const Site &site) {
  T instruction;
  draw(instruction, random, site);
  return instruction;
}

} // namespace tilerig::test
