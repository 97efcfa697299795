// The instruction set: the list of all instruction types, and functions derived from the list and from the
// traits of the types.
#pragma once

#include "isa/Instructions/Control.h"
#include "isa/Instructions/Dma.h"
#include "isa/Instructions/Pe.h"
#include "isa/Instructions/Pod.h"

#include <optional>
#include <variant>

namespace tilerig {

// All instruction types.
using Instructions = Joined<ControlInstructions, DmaInstructions, PodInstructions, PeInstructions>;
using Instruction = Instructions::Any;

template <Family family>
using InstructionsOf = typename detail::Filter<Instructions, family>::List;
// A reference to an instruction of any type of a family of instructions.
template <Family family>
using ReferenceTo = typename InstructionsOf<family>::Reference;

// Calls visit.template operator()<T>() for every instruction type, in the order of the list.
template <class Visitor>
constexpr void forEachInstructionType(Visitor &&visit) {
  [&]<class... Types>(std::variant<Types...> *) {
    (visit.template operator()<Types>(), ...);
  }(static_cast<Instruction *>(nullptr));
}

// Number of 16-byte words that an instruction occupies.
template <class T>
inline constexpr unsigned numWords = T::bits / 128;
inline constexpr unsigned wordBytes = 16;

inline constexpr unsigned maxWords = [] {
  unsigned most = 0;
  forEachInstructionType([&]<class T>() { most = numWords<T> > most ? numWords<T> : most; });
  return most;
}();

// Mask of the instruction's bits that belong to a field or to the opcode; all others are reserved and zero.
template <class T>
inline constexpr auto instructionBits = [] {
  static_assert(T::bits % 128 == 0, "an instruction is a whole number of words");
  auto used = usedBits<T, T::bits>();
  if (used[0] & 0xFF)
    throw "a field overlaps the opcode";
  used[0] |= 0xFF;
  return used;
}();

// The engine in whose queue the instruction is executed.
template <class T>
constexpr Engine engineOf(const T &instruction) {
  return instruction.engine;
}
inline Engine engineOf(const Instruction &instruction) {
  return std::visit([](const auto &typed) { return engineOf(typed); }, instruction);
}
inline bool isControl(const Instruction &instruction) {
  return std::visit([]<class T>(const T &) { return ControlInstruction<T>; }, instruction);
}
inline bool isProduct(const Instruction &instruction) {
  return std::visit([]<class T>(const T &) { return ProductInstruction<T>; }, instruction);
}
// The element type of the factors of matmul and conv; nullopt for other instructions.
inline std::optional<ElementType> multipliedType(const Instruction &instruction) {
  return std::visit(
      []<class T>(const T &typed) -> std::optional<ElementType> {
        if constexpr (ProductInstruction<T>)
          return typed.multipliedType();
        else
          return {};
      },
      instruction);
}
// Whether data values can make the instruction fault, such as an index outside its table.
inline bool mayFault(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) {
        if constexpr (requires { typed.mayFault(); })
          return typed.mayFault();
        else
          return false;
      },
      instruction);
}
inline uint32_t layerOf(const Instruction &instruction) {
  return std::visit([](const auto &typed) { return typed.layer; }, instruction);
}
// The number of a layer in output for users. Programs refer to layers by index, from 0; listings and
// strategies count from 1.
inline uint32_t layerNumber(uint32_t index) { return index + 1; }
inline std::string_view mnemonicOf(const Instruction &instruction) {
  return std::visit([](const auto &typed) { return typed.mnemonic; }, instruction);
}

} // namespace tilerig
