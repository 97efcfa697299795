// Which element types go together, and what is done with them: a table for each instruction.
//
// A row of a table is a combination that is legal, with the arithmetic that it means. Checker, reference page
// and emulator read the same rows, so an instruction never computes what the table does not promise.
#pragma once

#include "isa/Instructions/Types.h"
#include "isa/Support/Error.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace tilerig::rules {

class TypeSet {
public:
  constexpr TypeSet() = default;
  constexpr TypeSet(ElementType type) : bits(1u << static_cast<unsigned>(type)) {}

  constexpr bool contains(ElementType type) const { return bits >> static_cast<unsigned>(type) & 1; }
  constexpr bool empty() const { return bits == 0; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) {
    a.bits |= b.bits;
    return a;
  }
  bool operator==(const TypeSet &) const = default;

private:
  unsigned bits = 0;
};
std::string typeSetText(TypeSet set); // "i8, u8 or i9"

namespace types {
inline constexpr TypeSet i8 = ElementType::i8, u8 = ElementType::u8, i9 = ElementType::i9,
                         i32 = ElementType::i32, fp16 = ElementType::fp16, bf16 = ElementType::bf16,
                         fp32 = ElementType::fp32;
inline constexpr TypeSet none, podInteger = i8 | u8, quantised = i8 | u8 | i9, floats = fp16 | bf16 | fp32,
                               real = quantised | floats, any = real | i32;
} // namespace types

// What a row of a type table computes.
enum class Arithmetic : uint8_t {
  move,       // elements are moved, converted where the types differ
  lookup,     // elements of a table
  real,       // fp32 values, then finish
  integer,    // i32 throughout
  toInteger,  // fp32 values, rounded to i32
  keep,       // quantised elements are compared or picked as integers, and stay what they are
  integerSum, // exact integer sum of quantised elements, times a factor
  index,      // positions of elements
  podInteger,
  podQuantised,
  podScaled,
  podFloat, // of the accumulators, see Pod.h
};

} // namespace tilerig::rules

template <>
struct tilerig::EnumNames<tilerig::rules::Arithmetic> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"move", "lookup", "fp32", "integer", "to_integer", "keep", "integer_sum", "index", "pod_integer",
       "pod_quantised", "pod_scaled", "pod_float"});
};

namespace tilerig::rules {

// What the reference page says about it.
std::string_view meaningOf(Arithmetic arithmetic);

inline constexpr size_t maxTypeColumns = 5;

struct TypeRow {
  std::array<TypeSet, maxTypeColumns> types; // by column
  Arithmetic arithmetic;
};

// Two operands of one type, whatever it is.
inline constexpr TypeRow sameTypeRows[] = {
    {{types::i8, types::i8}, Arithmetic::move},     {{types::u8, types::u8}, Arithmetic::move},
    {{types::i9, types::i9}, Arithmetic::move},     {{types::i32, types::i32}, Arithmetic::move},
    {{types::fp16, types::fp16}, Arithmetic::move}, {{types::bf16, types::bf16}, Arithmetic::move},
    {{types::fp32, types::fp32}, Arithmetic::move},
};

// The rows of an instruction for those values of its other fields to which `applies` says yes.
template <class T>
struct TypeTable {
  std::string_view when = {}; // in words, empty for always
  bool (*applies)(const T &) = nullptr;
  std::span<const TypeRow> rows = {};
};

// A column of a table: an operand, and its type where it is present. An operand that is absent fits any row;
// one that a row does not allow has an empty set there.
struct TypedOperand {
  std::string_view name;
  std::optional<ElementType> type;
};

// The row that the operands fit, or null.
const TypeRow *findTypeRow(std::span<const TypeRow> rows, std::span<const TypedOperand> operands);
// Names the first operand whose type goes with no row that the operands before it fit.
Error explainTypes(std::span<const TypeRow> rows, std::span<const TypedOperand> operands);

} // namespace tilerig::rules
