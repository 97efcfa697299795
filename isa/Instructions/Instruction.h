// The instruction set: the single list of all instruction types, and functions derived from it.
#pragma once

#include "isa/Instructions/Control.h"
#include "isa/Instructions/Dma.h"
#include "isa/Instructions/Pe.h"
#include "isa/Instructions/Pod.h"

#include <variant>

namespace tilerig {

using Instruction =
    std::variant<Halt, Sync, Signal, Wait, GroupBarrier, GlobalBarrier, Delay, Marker, // control
                 Load, Store, Multicast, Gather,                                       // DMA
                 Matmul, Conv,                                                         // POD
                 Binary, Select, Activate, Lookup, Pool, Reduce, Softmax, Normalize, Copy, Flatten, Resize,
                 Fill>; // PE

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
  if constexpr (requires { instruction.engine; })
    return instruction.engine;
  else if constexpr (std::is_same_v<T, Multicast>)
    return instruction.source.space == Space::ddr ? Engine::dmaIn : Engine::dmaOut;
  else if constexpr (T::opcode >= Opcode::binary)
    return Engine::pe;
  else if constexpr (T::opcode >= Opcode::matmul)
    return Engine::pod;
  else if constexpr (T::opcode == Opcode::store)
    return Engine::dmaOut;
  else if constexpr (T::opcode >= Opcode::load)
    return Engine::dmaIn;
  else
    return Engine::sequencer;
}
inline Engine engineOf(const Instruction &instruction) {
  return std::visit([](const auto &typed) { return engineOf(typed); }, instruction);
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
