// Traits that every instruction states in its struct, and lists of instruction types.
//
//   opcode     number of the instruction, unique, in bits 0–7 of its encoding
//   mnemonic   name of the instruction in assembly text
//   bits       size of the encoding, a whole number of words of 128 bits
//   engine     the engine in whose queue the instruction is executed; instructions that choose it have a
//              field of this name, and Multicast has an overload of engineOf instead
//   family     kind of operation
//   meaning    what the instruction does, for the reference page
//   mayFault() whether data values can make it fault; left out where none can
//   multipliedType()   of a product: the element type of the operands that are multiplied
//   fields()   the encoded members (Field.h)
//
// Code that treats all instructions of a kind alike uses these traits, or what fields() states. Code that has
// something to state for each instruction has an overload for each and selects it with std::visit, so that a
// missing overload is a compile error.
#pragma once

#include "isa/Instructions/Types.h"

#include <variant>

namespace tilerig {

enum class Family : uint8_t {
  control,       // synchronisation, delays and markers; such instructions access no memory
  transfer,      // DMA transfers of elements between memories
  product,       // instructions of the POD (matrix engine): sums of products
  elementwise,   // computes one result for every element of the operands
  move,          // moves elements, or writes constants, within an OCM (on-chip memory)
  reduction,     // combines all elements along some dimensions to one element
  normalisation, // softmax, and normalisation of rows
  pooling,       // combines the elements in a sliding window over an image
  resampling     // interpolates between the elements of an image
};

template <class T>
concept ControlInstruction = T::family == Family::control;
template <class T>
concept TransferInstruction = T::family == Family::transfer;
template <class T>
concept ProductInstruction = T::family == Family::product;
// Instructions of the POD (matrix engine) and the PE (vector engine).
template <class T>
concept ComputeInstruction = !ControlInstruction<T> && !TransferInstruction<T>;

// A list of instruction types.
template <class... Types>
struct InstructionList {
  using Any = std::variant<Types...>;
  // A reference to an instruction of any type in the list. A function with such a parameter can be defined
  // outside of headers and still have an overload for each type.
  using Reference = std::variant<const Types *...>;
  using MutableReference = std::variant<Types *...>;

  template <class T>
  static constexpr bool contains = (std::is_same_v<T, Types> || ...);
};
template <class T, class List>
concept OneOf = List::template contains<T>;

namespace detail {
template <class... Lists>
struct Join {
  using List = InstructionList<>;
};
template <class... Types>
struct Join<InstructionList<Types...>> {
  using List = InstructionList<Types...>;
};
template <class... First, class... Second, class... Rest>
struct Join<InstructionList<First...>, InstructionList<Second...>, Rest...>
    : Join<InstructionList<First..., Second...>, Rest...> {};
} // namespace detail

// The concatenation of lists of instruction types.
template <class... Lists>
using Joined = typename detail::Join<Lists...>::List;

namespace detail {
template <class List, Family family>
struct Filter;
template <class... Types, Family family>
struct Filter<InstructionList<Types...>, family> {
  using List =
      Joined<std::conditional_t<Types::family == family, InstructionList<Types>, InstructionList<>>...>;
};
} // namespace detail

} // namespace tilerig
