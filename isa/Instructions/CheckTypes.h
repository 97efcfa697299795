// Type tables: for each instruction, the legal combinations of element types and the arithmetic of each.
//
// A row is one legal combination together with its arithmetic. Checker, reference page and emulator read the
// same rows, so an instruction cannot compute anything that the table does not state.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Types.h"

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
std::string typeSetText(TypeSet set); // text such as "i8, u8 or i9"

namespace types {
inline constexpr TypeSet i8 = ElementType::i8, u8 = ElementType::u8, i9 = ElementType::i9,
                         i32 = ElementType::i32, fp16 = ElementType::fp16, bf16 = ElementType::bf16,
                         fp32 = ElementType::fp32;
inline constexpr TypeSet none, podInteger = i8 | u8, quantised = i8 | u8 | i9, floats = fp16 | bf16 | fp32,
                               real = quantised | floats, any = real | i32;
} // namespace types

// The arithmetic that a row of a type table stands for.
enum class Arithmetic : uint8_t {
  move,       // elements are moved, and converted where the types differ
  lookup,     // elements are replaced by entries of a lookup table
  real,       // arithmetic on fp32 values, then the last steps of the instruction (`finish`)
  integer,    // i32 arithmetic throughout
  toInteger,  // arithmetic on fp32 values, whose result is rounded to i32
  keep,       // quantised elements compared or selected as integers; type, scale and zero point unchanged
  integerSum, // exact integer sum of quantised elements, times an fp32 factor
  index,      // the result is the index of an element
  // The following four kinds of arithmetic process the accumulators of matmul and conv; see Pod.h.
  podInteger,
  podQuantised,
  podScaled,
  podFloat,
};

} // namespace tilerig::rules

template <>
struct tilerig::EnumNames<tilerig::rules::Arithmetic> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"move", "lookup", "fp32", "integer", "to_integer", "keep", "integer_sum", "index", "pod_integer",
       "pod_quantised", "pod_scaled", "pod_float"});
};

namespace tilerig::rules {

// Describes a kind of arithmetic for the reference page.
std::string_view meaningOf(Arithmetic arithmetic);

inline constexpr size_t maxTypeColumns = 5;

struct TypeRow {
  std::array<TypeSet, maxTypeColumns> types; // allowed types of each operand
  Arithmetic arithmetic;
};

// Rows of a type table for two operands of equal type: one row for each element type.
inline constexpr TypeRow sameTypeRows[] = {
    {{types::i8, types::i8}, Arithmetic::move},     {{types::u8, types::u8}, Arithmetic::move},
    {{types::i9, types::i9}, Arithmetic::move},     {{types::i32, types::i32}, Arithmetic::move},
    {{types::fp16, types::fp16}, Arithmetic::move}, {{types::bf16, types::bf16}, Arithmetic::move},
    {{types::fp32, types::fp32}, Arithmetic::move},
};

// A type table of an instruction. It holds for those instructions of type T for which `applies` returns true,
// for example for those with a certain function.
template <class T>
struct TypeTable {
  std::string_view when = {}; // condition under which the table applies; empty if always
  bool (*applies)(const T &) = nullptr;
  std::span<const TypeRow> rows = {};
};

// A column of a type table: an operand of the instruction, and its type if the operand is present. An absent
// operand matches any row. In a row that forbids the operand, the set of legal types is empty.
struct TypedOperand {
  std::string_view name;
  std::optional<ElementType> type;
};

// The row of a type table that matches the types of all operands, or null.
const TypeRow *findTypeRow(std::span<const TypeRow> rows, std::span<const TypedOperand> operands);
// The error for operand types that match no row of a type table. It names the first operand whose type is not
// allowed together with the types of the operands before it.
Error explainTypes(std::span<const TypeRow> rows, std::span<const TypedOperand> operands);

} // namespace tilerig::rules
