// Rows of elements as numbers, and numbers as rows of elements: how a computing instruction reads its
// operands and writes its result.
//
// The arithmetic is that of isa/Numerics, in bulk. Strided rows are gathered first and scattered last.
#pragma once

#include "emulator/Execute/View.h"
#include "emulator/Execute/Work.h"
#include "isa/Numerics/Landing.h"

#include <span>

namespace tilerig {

// Slots of the scratch that rows use; the others are the instruction's own.
enum Slot : unsigned { rowBytes, rowA, rowB, rowC, rowResult, ownA, ownB, ownC };

// The value of a quantised or float element, fp32; of an i32, itself rounded. `into` has room for the row.
void readReals(const View &view, const std::byte *row, const Affine &affine, std::span<float> into,
               Scratch &scratch);
// i8, u8, i9 and i32 as they are.
void readIntegers(const View &view, const std::byte *row, std::span<int32_t> into);

// The last steps of an fp32 result: function, quantisation or rounding, and the store. `reals` is used up.
void writeReals(std::span<float> reals, const Finish &finish, const View &view, std::byte *row,
                Scratch &scratch);
// Integers that are in the range of the output's type.
void writeIntegers(std::span<const int32_t> integers, const View &view, std::byte *row);

// The same four in the same order.
constexpr Rounding roundingOf(const Finish &finish) { return static_cast<Rounding>(finish.rounding); }
// How `finish` lands a result in its output type.
Landing landingOf(const Finish &finish, ElementType output);
// An exact integer sum times a factor, landed and narrowed, as the integer that the output holds.
int32_t landSum(int32_t sum, float factor, const Finish &finish, ElementType output);
// The function of `finish` on i32.
int32_t evaluateInteger(UnaryFunction function, int32_t x);

// Elements of `elementBytes` from one row to another.
void moveRow(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride,
             unsigned elementBytes, uint32_t count);

} // namespace tilerig
