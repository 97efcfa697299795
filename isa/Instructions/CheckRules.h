// The static rules of every instruction as tables: its operands, its legal combinations of types, and all
// other rules as sentences with a check. The checker evaluates these tables and the reference page prints
// them.
#pragma once

#include "isa/Instructions/CheckOperands.h"
#include "isa/Instructions/CheckTypes.h"
#include "isa/Instructions/Instruction.h"

namespace tilerig::rules {

// A rule of an instruction: its sentence on the reference page, and the function that refuses instructions
// that break it. `check` may assume that fields are in range, that operands and types are legal, and that the
// instruction obeys all rules before this one.
template <class T>
struct Rule {
  std::string_view text;
  Status (*check)(const T &, const Setting &);
};

// All rules of one instruction. A type table of the instruction has a column for each operand, in the order
// of `operands`.
template <class T>
struct RuleBook {
  std::span<const Operand<T>> operands = {};
  std::span<const TypeTable<T>> types = {};
  std::span<const Rule<T>> rules = {};
};

// The rules of every instruction type of a list, one RuleBook for each.
template <class List>
struct RuleBooks;
template <class... Types>
struct RuleBooks<InstructionList<Types...>> {
  std::tuple<RuleBook<Types>...> books;
};

// Tag types that select the overload of a function for an instruction type T or for a family of instructions.
template <class T>
struct Of {};
template <Family family>
struct In {};

// Collects the rules of all instruction types of a list: bookOf(Of<T>()) returns the rules of type T.
template <class... Types>
constexpr RuleBooks<InstructionList<Types...>> collectBooks(InstructionList<Types...>, auto bookOf) {
  return {{bookOf(Of<Types>())...}};
}

// The rules of all instructions of a family, defined in the file that states them. That file compiles only if
// it has an overload of bookOf(Of<T>) for every instruction type T of the family.
const RuleBooks<InstructionsOf<Family::control>> &booksOf(In<Family::control>);
const RuleBooks<InstructionsOf<Family::transfer>> &booksOf(In<Family::transfer>);
const RuleBooks<InstructionsOf<Family::product>> &booksOf(In<Family::product>);
const RuleBooks<InstructionsOf<Family::elementwise>> &booksOf(In<Family::elementwise>);
const RuleBooks<InstructionsOf<Family::move>> &booksOf(In<Family::move>);
const RuleBooks<InstructionsOf<Family::reduction>> &booksOf(In<Family::reduction>);
const RuleBooks<InstructionsOf<Family::normalisation>> &booksOf(In<Family::normalisation>);
const RuleBooks<InstructionsOf<Family::pooling>> &booksOf(In<Family::pooling>);
const RuleBooks<InstructionsOf<Family::resampling>> &booksOf(In<Family::resampling>);

// The rules of an instruction type.
template <class T>
const RuleBook<T> &rulesOf() {
  return std::get<RuleBook<T>>(booksOf(In<T::family>()).books);
}

// The operands of an instruction with their types, in the form that findTypeRow() expects.
template <class T>
class TypedOperands {
public:
  explicit TypedOperands(const T &instruction) {
    for (const Operand<T> &operand : rulesOf<T>().operands) {
      const Stream &stream = operand.stream(instruction);
      typed[count++] = {operand.name, stream.present() ? std::optional(stream.type) : std::nullopt};
    }
  }
  std::span<const TypedOperand> span() const { return std::span(typed).first(count); }

private:
  std::array<TypedOperand, maxTypeColumns> typed;
  size_t count = 0;
};

// The type table that applies to the function or mode of the instruction; an empty table if there is none.
template <class T>
const TypeTable<T> &typeTableOf(const T &instruction) {
  for (const TypeTable<T> &table : rulesOf<T>().types)
    if (!table.applies || table.applies(instruction))
      return table;
  static constexpr TypeTable<T> nothing{};
  return nothing;
}

// The arithmetic of a legal instruction, taken from its row in the type table.
template <class T>
Arithmetic arithmeticOf(const T &instruction) {
  const TypeRow *row = findTypeRow(typeTableOf(instruction).rows, TypedOperands<T>(instruction).span());
  assert(row && "arithmeticOf: the instruction is not legal");
  return row->arithmetic;
}

} // namespace tilerig::rules
