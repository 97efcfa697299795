// Iteration over the instruction tables, shared by both generators: the fields that a struct states in
// fields(), and all enumerations and groups of fields.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <algorithm>
#include <vector>

namespace tilerig {

// Calls visit.template operator()<Member>(statement) for each statement of T::fields(). Member is the type of
// the member that the statement describes; for an array, the type of its elements.
template <class T, class Visitor>
void forEachStatement(Visitor &&visit) {
  const auto one = [&]<class Statement>(const Statement &statement) {
    using Member = std::remove_cvref_t<decltype(std::declval<T>().*(statement.member))>;
    if constexpr (requires { statement.pitch; })
      visit.template operator()<typename Member::value_type>(statement);
    else
      visit.template operator()<Member>(statement);
  };
  std::apply([&](const auto &...statements) { (one(statements), ...); }, T::fields());
}

// Number of bits that a statement (an entry of fields()) covers; for a group, including its reserved bits.
template <class Member, class Statement>
unsigned bitsOf(const Statement &statement) {
  if constexpr (requires { statement.width; })
    return statement.width;
  else if constexpr (requires { statement.pitch; })
    return statement.pitch * countOf(statement);
  else
    return Member::bits;
}
template <class Owner, class Member, size_t count>
constexpr unsigned countOf(const Repeated<Owner, Member, count> &) {
  return count;
}

namespace detail {
using TypeId = const void *;
template <class T>
inline constexpr char typeMark = 0;

template <class T, class Visitor>
void visitTypes(std::vector<TypeId> &seen, Visitor &visit) {
  forEachStatement<T>([&]<class Member>(const auto &) {
    constexpr bool isGroup = requires { Member::fields(); };
    if constexpr (isGroup || NamedEnum<Member>) {
      if (std::find(seen.begin(), seen.end(), &typeMark<Member>) != seen.end())
        return;
      seen.push_back(&typeMark<Member>);
      if constexpr (isGroup)
        visitTypes<Member>(seen, visit);
      visit.template operator()<Member>();
    }
  });
}
} // namespace detail

// Calls visit.template operator()<T>() once for each enumeration and each group that occurs in an
// instruction. Types inside a group come before the group.
template <class Visitor>
void forEachFieldType(Visitor &&visit) {
  std::vector<detail::TypeId> seen;
  forEachInstructionType([&]<class T>() { detail::visitTypes<T>(seen, visit); });
}

} // namespace tilerig
