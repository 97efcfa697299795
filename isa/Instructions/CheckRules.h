// The static rules of every instruction as tables: its operands, its legal combinations of types, and all
// other rules as sentences with a check. The checker evaluates these tables and the reference page prints
// them.
//
// An instruction without an overload of rulesOf() does not compile.
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

// All rules of one instruction. The columns of the type tables belong to `operands`, in the same order.
template <class T>
struct RuleBook {
  std::span<const Operand<T>> operands = {};
  std::span<const TypeTable<T>> types = {};
  std::span<const Rule<T>> rules = {};
};

template <class T>
struct Of {};

RuleBook<Halt> rulesOf(Of<Halt>);
RuleBook<Sync> rulesOf(Of<Sync>);
RuleBook<Signal> rulesOf(Of<Signal>);
RuleBook<Wait> rulesOf(Of<Wait>);
RuleBook<GroupBarrier> rulesOf(Of<GroupBarrier>);
RuleBook<GlobalBarrier> rulesOf(Of<GlobalBarrier>);
RuleBook<Delay> rulesOf(Of<Delay>);
RuleBook<Marker> rulesOf(Of<Marker>);
RuleBook<Load> rulesOf(Of<Load>);
RuleBook<Store> rulesOf(Of<Store>);
RuleBook<Multicast> rulesOf(Of<Multicast>);
RuleBook<Gather> rulesOf(Of<Gather>);
RuleBook<Matmul> rulesOf(Of<Matmul>);
RuleBook<Conv> rulesOf(Of<Conv>);
RuleBook<Binary> rulesOf(Of<Binary>);
RuleBook<Select> rulesOf(Of<Select>);
RuleBook<Activate> rulesOf(Of<Activate>);
RuleBook<Lookup> rulesOf(Of<Lookup>);
RuleBook<Pool> rulesOf(Of<Pool>);
RuleBook<Reduce> rulesOf(Of<Reduce>);
RuleBook<Softmax> rulesOf(Of<Softmax>);
RuleBook<Normalize> rulesOf(Of<Normalize>);
RuleBook<Copy> rulesOf(Of<Copy>);
RuleBook<Flatten> rulesOf(Of<Flatten>);
RuleBook<Resize> rulesOf(Of<Resize>);
RuleBook<Fill> rulesOf(Of<Fill>);

// The operands of an instruction with their types, in the form that findTypeRow() expects.
template <class T>
class TypedOperands {
public:
  explicit TypedOperands(const T &instruction) {
    for (const Operand<T> &operand : rulesOf(Of<T>()).operands) {
      const Stream &stream = operand.stream(instruction);
      typed[count++] = {operand.name, stream.present() ? std::optional(stream.type) : std::nullopt};
    }
  }
  std::span<const TypedOperand> span() const { return std::span(typed).first(count); }

private:
  std::array<TypedOperand, maxTypeColumns> typed;
  size_t count = 0;
};

// The type table that applies to this instruction's function or mode; an empty table if there is none.
template <class T>
const TypeTable<T> &typeTableOf(const T &instruction) {
  for (const TypeTable<T> &table : rulesOf(Of<T>()).types)
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
