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
void draw(Halt &halt, Random &random, const Site &site);
void draw(Sync &sync, Random &random, const Site &site);
void draw(Signal &signal, Random &random, const Site &site);
void draw(Wait &wait, Random &random, const Site &site);
void draw(GroupBarrier &barrier, Random &random, const Site &site);
void draw(GlobalBarrier &barrier, Random &random, const Site &site);
void draw(Delay &delay, Random &random, const Site &site);
void draw(Marker &marker, Random &random, const Site &site);
void draw(Load &load, Random &random, const Site &site);
void draw(Store &store, Random &random, const Site &site);
void draw(Multicast &multicast, Random &random, const Site &site);
void draw(Gather &gather, Random &random, const Site &site);
void draw(Matmul &matmul, Random &random, const Site &site);
void draw(Conv &conv, Random &random, const Site &site);
void draw(Binary &binary, Random &random, const Site &site);
void draw(Select &select, Random &random, const Site &site);
void draw(Activate &activate, Random &random, const Site &site);
void draw(Lookup &lookup, Random &random, const Site &site);
void draw(Pool &pool, Random &random, const Site &site);
void draw(Reduce &reduce, Random &random, const Site &site);
void draw(Softmax &softmax, Random &random, const Site &site);
void draw(Normalize &normalize, Random &random, const Site &site);
void draw(Copy &copy, Random &random, const Site &site);
void draw(Flatten &flatten, Random &random, const Site &site);
void draw(Resize &resize, Random &random, const Site &site);
void draw(Fill &fill, Random &random, const Site &site);

template <class T>
T randomOf(Random &random, const Site &site) {
  T instruction;
  draw(instruction, random, site);
  return instruction;
}

} // namespace tilerig::test
