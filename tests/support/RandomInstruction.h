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

// Where an instruction is executed: by `tile`, on a machine with `tiles` tiles in use.
struct Site {
  const Machine &machine;
  unsigned tile = 0, tiles = 1;
  // The most elements that an operand may have. Its bytes also stay below a sixteenth of the OCM (on-chip
  // memory).
  uint32_t maxElements = 4096;
};

// A random instruction; all types are equally likely.
Instruction randomInstruction(Random &random, const Site &site);

template <Family family>
using MutableReferenceTo = typename InstructionsOf<family>::MutableReference;

// Fills an instruction with random legal fields, whatever the instruction's type. Each family of instruction
// types has a file in the folder Instructions, which defines this function and overloads draw() for every
// type.
void drawAny(MutableReferenceTo<Family::control> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::transfer> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::product> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::elementwise> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::move> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::reduction> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::normalisation> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::pooling> instruction, Random &random, const Site &site);
void drawAny(MutableReferenceTo<Family::resampling> instruction, Random &random, const Site &site);

template <class T>
T randomOf(Random &random, const Site &site) {
  T instruction;
  drawAny(MutableReferenceTo<T::family>(&instruction), random, site);
  return instruction;
}

} // namespace tilerig::test
