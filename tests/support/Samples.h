// Small legal instructions written by hand; tests break one field at a time.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "tests/support/RandomInstruction.h"

namespace tilerig::test {

// Overwrites an instruction with a small legal sample of the same type, whatever this type is. Each family of
// instruction types has a file in the folder Instructions, which defines this function and overloads
// makeSample() for every type.
void makeAny(MutableReferenceTo<Family::control> instruction);
void makeAny(MutableReferenceTo<Family::transfer> instruction);
void makeAny(MutableReferenceTo<Family::product> instruction);
void makeAny(MutableReferenceTo<Family::elementwise> instruction);
void makeAny(MutableReferenceTo<Family::move> instruction);
void makeAny(MutableReferenceTo<Family::reduction> instruction);
void makeAny(MutableReferenceTo<Family::normalisation> instruction);
void makeAny(MutableReferenceTo<Family::pooling> instruction);
void makeAny(MutableReferenceTo<Family::resampling> instruction);

} // namespace tilerig::test

namespace tilerig::samples {

// The machine of the checker's tests: four tiles, each with an OCM (on-chip memory) of 64 KiB and 16
// semaphores, and 8 GiB of DDR.
Machine machine();
inline constexpr unsigned tile = 1, tiles = 4;

// A stream (address pattern) without gaps. Several streams of one instruction may start at the same address.
Stream stream(ElementType type, std::array<uint32_t, 5> sizes, Space space = Space::ocm);
Vector vector(uint64_t base = 0);
Affine affine();
// A finish (the conversion of results to the output type) with the full range of the type and no function.
Finish finish(ElementType type);

// A small legal sample of the instruction type T.
template <class T>
T make() {
  T instruction;
  test::makeAny(test::MutableReferenceTo<T::family>(&instruction));
  return instruction;
}

Matmul integerMatmul(ElementType output);
// An i8 convolution with an addend that is added to the quantised result.
Conv convWithAddend();

} // namespace tilerig::samples
