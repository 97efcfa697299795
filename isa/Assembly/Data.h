// Lists of data in an assembly text: numbers of a type as the bytes that they are in memory, and bytes in
// hexadecimal. Internal to the assembler.
#pragma once

#include "isa/Assembly/Cursor.h"
#include "isa/Instructions/Types.h"
#include "isa/Tensor/DType.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

// How a number of a list becomes bytes, little-endian.
struct NumberType {
  enum class Kind : uint8_t { integer, fp16, bf16, fp32, fp64 };
  Kind kind;
  unsigned sizeBytes;
  int64_t low = 0; // of an integer
  uint64_t high = 0;
};
NumberType numberTypeOf(ElementType type);
// Nothing for complex types.
std::optional<NumberType> numberTypeOf(DType type);

// What may still be unfolded from `value*count` and the like: a short text must not take all memory.
struct UnfoldBudget {
  uint64_t bytesLeft;
  bool spend(Cursor &cursor, const char *place, uint64_t count, uint64_t sizeBytes);
};

// [1, -2, 0*64, 0..15, (1 2)*8]: values, ranges, and repetitions of values and lists. Appends their bytes.
bool readValues(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, std::vector<std::byte> &bytes);
// [00112233 44 ff*64]: words of bytes in the order of their addresses, and repeated words.
bool readHexBytes(Cursor &cursor, UnfoldBudget &budget, std::vector<std::byte> &bytes);
// What readHexBytes reads, from '[' to ']'.
void appendHexBytes(std::string &out, std::span<const std::byte> bytes);

} // namespace tilerig
