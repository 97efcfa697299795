// Small legal instructions written by hand; tests break one field at a time.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "tests/support/RandomInstruction.h"

namespace tilerig::test {

// Overwrites an instruction of any type of the family with a sample of its type. The file of the family
// (folder Instructions) defines this function, and has an overload of makeSample() for every type.
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

// A stream (address pattern) without gaps. Streams of one instruction may share an address, which the checker
// permits.
Stream stream(ElementType type, std::array<uint32_t, 5> sizes, Space space = Space::ocm);
Vector vector(uint64_t base = 0);
Affine affine();
// A finish (the conversion of results to the output type) with the full range of the type and no function.
Finish finish(ElementType type);

// A sample of an instruction type, from the file of its family (folder Instructions).
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
