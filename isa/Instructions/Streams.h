// The operands of instructions that lie in memory, found by walking over fields().
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig {

// Whether an instruction writes its operand with the given name. The operand that is written is named
// `output` in instructions of the POD and the PE (the two compute engines), and `destination` in transfers;
// all others are read.
constexpr bool isResult(std::string_view operand) { return operand == "output" || operand == "destination"; }

// Calls visit(name, stream) for every stream of an instruction or of a group of fields, in the order of
// fields(). `name` is that of the field, without the groups around it.
template <class T, class Visitor>
constexpr void forEachStream(T &object, const Visitor &visit) {
  const auto visitMember = [&](const auto &statement) {
    auto &member = object.*(statement.member);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Stream>) {
      visit(statement.name, member);
    } else if constexpr (requires { statement.pitch; }) {
      for (auto &element : member)
        forEachStream(element, visit);
    } else if constexpr (!requires { statement.width; }) {
      forEachStream(member, visit);
    }
  };
  std::apply([&](const auto &...statements) { (visitMember(statements), ...); },
             std::remove_cvref_t<T>::fields());
}

namespace detail {
template <class Owner, class Member>
Member memberType(Member Owner::*);
template <class Statement>
using MemberOf = decltype(memberType(std::declval<Statement>().member));
template <class Statement, class... Members>
inline constexpr bool describes = (std::is_same_v<MemberOf<Statement>, Members> || ...);
template <class Statement>
concept ElementaryField = requires(Statement statement) {
  statement.width;
};
} // namespace detail

// Whether T::fields() contains a member that has one of the types `Members`.
template <class T, class... Members>
inline constexpr bool hasMember = []<class... Statements>(const std::tuple<Statements...> &) {
  return (detail::describes<Statements, Members...> || ...);
}(T::fields());

// Whether streams are the only operands of T in memory, so that it reads or writes all of their elements and
// no other bytes. Other groups of fields can name further bytes (vectors, epilogues) or select some of the
// elements (windows).
template <class T>
inline constexpr bool hasOnlyStreams = []<class... Statements>(const std::tuple<Statements...> &) {
  return (
      (detail::ElementaryField<Statements> || detail::describes<Statements, Stream, Affine, Finish>)&&...);
}(T::fields());

// Whether T reads the elements of an image that a window or an interpolation selects.
template <class T>
inline constexpr bool readsSelectedPixels = hasMember<T, Window, ResizeAxis>;

} // namespace tilerig
