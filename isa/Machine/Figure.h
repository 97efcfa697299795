// How each part of a machine states its parameters ("figures"): once, as data.
//
// Every part is a plain struct with a constexpr function figures() that gives each member its name in the
// description file, its legal range and its meaning. Code that reads, prints, checks or hashes a machine
// iterates over figures(), so a new parameter needs only a member and a line there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilerig {

// A numeric parameter of a machine or of one of its parts: its name, its legal range and its meaning.
template <class Owner, class Member>
struct Figure {
  std::string_view name;
  Member Owner::*member;
  uint64_t low, high; // the legal range
  std::string_view meaning;
  bool powerOfTwo = false;

  constexpr Figure(std::string_view name, Member Owner::*member, uint64_t low, uint64_t high,
                   std::string_view meaning)
      : name(name), member(member), low(low), high(high), meaning(meaning) {
    static_assert(std::is_unsigned_v<Member>, "parameters of a machine are unsigned integers");
    if (low > high || high > Member(-1))
      throw "the legal range of a machine parameter does not fit its type";
  }

  // The same figure (numeric parameter) with the additional requirement that it is a power of two.
  constexpr Figure asPowerOfTwo() const {
    Figure narrowed = *this;
    narrowed.powerOfTwo = true;
    return narrowed;
  }
};

// A part of a machine, such as its network: a struct with a function figures() that lists its parameters.
template <class Owner, class Member>
struct Part {
  std::string_view name;
  Member Owner::*member;
};
template <class Owner, class Member>
Part(std::string_view, Member Owner::*) -> Part<Owner, Member>;

// The path of a machine parameter in the description, for example "pod.int8.outputs": a linked list on the
// stack, formatted only when needed.
struct FigurePath {
  const FigurePath *outer = nullptr;
  std::string_view name;

  std::string text() const { return outer ? outer->text() + "." + std::string(name) : std::string(name); }
};

// Calls visit(path, figure, value) for every figure (numeric parameter) of `object` and of its parts, in the
// order they are stated.
template <class T, class Visitor>
constexpr void forEachFigure(T &object, Visitor &&visit, const FigurePath *outer = nullptr) {
  auto visitOne = [&](const auto &statement) {
    FigurePath path{outer, statement.name};
    auto &member = object.*(statement.member);
    if constexpr (requires { statement.meaning; })
      visit(path, statement, member);
    else
      forEachFigure(member, visit, &path);
  };
  std::apply([&](const auto &...statements) { (visitOne(statements), ...); },
             std::remove_cvref_t<T>::figures());
}

} // namespace tilerig
