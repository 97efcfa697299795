// Parses lists of data in assembly text: typed numbers, converted to their bytes in memory, and bytes in
// hexadecimal. Internal to the assembler.
#pragma once

#include "isa/Assembly/Cursor.h"
#include "isa/Base/Tensor/DType.h"
#include "isa/Instructions/Types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

// The type of the numbers in a data directive of assembly text, such as .constant. Their bytes in memory are
// little-endian.
struct NumberType {
  enum class Kind : uint8_t { integer, fp16, bf16, fp32, fp64 };
  Kind kind;
  unsigned sizeBytes;
  int64_t low = 0; // legal values of an integer type: low .. high
  uint64_t high = 0;
};
NumberType numberTypeOf(ElementType type);
// The type of the numbers in the list of values of a tensor with elements of `type`; nullopt for complex
// types.
std::optional<NumberType> numberTypeOf(DType type);

// The number of bytes that repetitions such as `value*count` may still expand to: a limit on the memory that
// a short text can demand.
struct UnfoldBudget {
  uint64_t bytesLeft;
  bool spend(Cursor &cursor, const char *place, uint64_t count, uint64_t sizeBytes);
};

// Parses [1, -2, 0*64, 0..15, (1 2)*8]: values, ranges, and repetitions of values and lists. Appends their
// bytes.
bool readValues(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, std::vector<std::byte> &bytes);
// Parses [00112233 44 ff*64]: words of bytes by ascending address, and repeated words. Appends their bytes.
bool readHexBytes(Cursor &cursor, UnfoldBudget &budget, std::vector<std::byte> &bytes);
// Writes the bytes in the notation that readHexBytes parses, from '[' to ']'.
void appendHexBytes(std::string &out, std::span<const std::byte> bytes);

} // namespace tilerig
