// Random legal instructions: every type, engine, memory space, element type and function as likely as the
// next, shapes ragged, legal by construction. They are made without a look at the checker, which is tested
// against them.
//
// Operands of one instruction never overlap in memory, so its result does not depend on when it reads and
// writes.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "tests/support/Random.h"

namespace tilerig::test {

// Where the instruction will stand: in the program of `tile`, one of `tiles`.
struct Site {
  const Machine &machine;
  unsigned tile = 0, tiles = 1;
  uint32_t maxElements = 4096; // of one operand; its bytes stay below a sixteenth of the OCM besides
};

// All types equally likely.
Instruction randomInstruction(Random &random, const Site &site);

// One of a certain type.
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
