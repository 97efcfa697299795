// Small legal instructions written by hand; tests break one field at a time.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig::samples {

// The machine of the checker's tests: four tiles with OCMs of 64 KiB and 16 semaphores, 8 GiB of DDR.
Machine machine();
inline constexpr unsigned tile = 1, tiles = 4;

// A dense stream. Streams of one instruction may share an address, which the checker permits.
Stream stream(ElementType type, std::array<uint32_t, 5> sizes, Space space = Space::ocm);
Vector vector(uint64_t base = 0);
Affine affine();
// A finish (the conversion of results to the output type) with the full range of the type and no function.
Finish finish(ElementType type);

// A sample of each instruction type.
template <class T>
T make();
template <>
Halt make();
template <>
Sync make();
template <>
Signal make();
template <>
Wait make();
template <>
GroupBarrier make();
template <>
GlobalBarrier make();
template <>
Delay make();
template <>
Marker make();
template <>
Load make(); // fp16 from DDR
template <>
Store make(); // fp16 to DDR
template <>
Multicast make(); // fp16 from DDR to tiles 0 and 2
template <>
Gather make(); // fp16 from DDR
template <>
Matmul make(); // fp32 throughout
template <>
Conv make(); // u8 input, i8 weights, i8 output, bias, scale
template <>
Binary make(); // add, i8 throughout
template <>
Select make(); // i8 throughout
template <>
Activate make(); // relu, i8 to fp16
template <>
Lookup make(); // i8 to i8
template <>
Pool make(); // max, i8
template <>
Reduce make(); // sum, i8 to i8
template <>
Softmax make(); // i8 to fp32
template <>
Normalize make(); // fp16 with gain
template <>
Copy make(); // fp16
template <>
Flatten make(); // i8
template <>
Resize make(); // linear, fp16
template <>
Fill make(); // i8

Matmul integerMatmul(ElementType output);
// An i8 convolution with an addend that is added to the quantised result.
Conv convWithAddend();

} // namespace tilerig::samples
