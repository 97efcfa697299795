// Reads rows of operands as numbers and writes numbers as rows of a result, for all computing instructions.
//
// The arithmetic is that of isa/Numerics, applied to whole rows. Strided rows are gathered before the
// computation and scattered after it.
#pragma once

#include "emulator/Execute/PreparedOp.h"
#include "emulator/Execute/View.h"
#include "isa/Numerics/Landing.h"

#include <cstring>
#include <span>

namespace tilerig::emulator {

// Numbers of scratch buffers (Scratch::of): rowBytes is used by the functions that read and write rows, rowA
// to rowResult hold rows of operands and results, ownA to ownC are free for any use by an instruction.
enum Slot : unsigned { rowBytes, rowA, rowB, rowC, rowResult, ownA, ownB, ownC };

// Reads a row of an operand as fp32: quantised elements are dequantised, floats widened, i32 rounded.
void readReals(const View &view, const std::byte *row, const Affine &affine, std::span<float> into,
               Scratch &scratch);
// Reads a row of an operand as integers, from elements of type i8, u8, i9 or i32.
void readIntegers(const View &view, const std::byte *row, std::span<int32_t> into);

// Writes a row of fp32 results: applies the function that the instruction states, quantises or rounds, and
// stores. The buffer `reals`, which holds the results, is overwritten.
void writeReals(std::span<float> reals, const Finish &finish, const View &view, std::byte *row,
                Scratch &scratch);
// Writes a row of integer results, which must be in the range of the output's type.
void writeIntegers(std::span<const int32_t> integers, const View &view, std::byte *row);

// Converts the rounding mode of `finish` to the enumeration of isa/Numerics. The instructions' own
// enumeration lists the same modes in the same order.
constexpr Rounding roundingOf(const Finish &finish) { return static_cast<Rounding>(finish.rounding); }
// Parameters with which the result of an instruction is quantised to the output type.
Landing landingOf(const Finish &finish, ElementType output);
// Multiplies an exact integer sum by a factor, rounds and narrows it to the output type, and returns the
// stored integer.
int32_t landSum(int32_t sum, float factor, const Finish &finish, ElementType output);
// Applies a function to a 32-bit integer x, modulo 2^32: relu, abs, neg, sign or logicalNot; any other
// function returns x.
int32_t evaluateInteger(UnaryFunction function, int32_t x);

// Copies bytes without a call if these are the bytes of a few elements, as in most rows that tiles exchange.
inline void moveBytes(const std::byte *from, std::byte *to, size_t count) {
  switch (count) {
  case 4:
    return void(std::memcpy(to, from, 4));
  case 8:
    return void(std::memcpy(to, from, 8));
  case 16:
    return void(std::memcpy(to, from, 16));
  case 32:
    return void(std::memcpy(to, from, 32));
  default:
    std::memmove(to, from, count);
  }
}

void moveStridedRow(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride,
                    unsigned elementBytes, uint32_t count);
// Copies `count` elements of `elementBytes` from one row to another; strides are in bytes.
inline void moveRow(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride,
                    unsigned elementBytes, uint32_t count) {
  if (fromStride == elementBytes && toStride == elementBytes)
    return moveBytes(from, to, size_t{elementBytes} * count);
  moveStridedRow(from, fromStride, to, toStride, elementBytes, count);
}

} // namespace tilerig::emulator
