// The description of instruction fields as compile-time data: `Field`, `Group`, `Repeated`.
//
// Every instruction is a plain struct with a constexpr function fields() that states each member's bits,
// range and meaning. Encoder, decoder, assembler, disassembler, checker, reference page and the compiler's
// dialect iterate over this list and contain no code for particular instructions. Composite operands (a
// stream, a window) state their own fields in the same way and are placed into an instruction as a Group.
//
// Bits are numbered from the least significant bit of byte 0 upwards.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilerig {

// Names of an enumeration's values, in order. A field of this type may have exactly these values.
template <class Enum>
struct EnumNames;

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires {
  EnumNames<T>::values;
};

// Text form of an integer: a number, the set of its one bits ({0-3, 7}), or hexadecimal where the bits are
// the bit pattern of some other value.
enum class Notation : uint8_t { number, set, bits };

// A field of elementary type: unsigned, signed (two's complement), bool, float (its 32 bits) or a named enum.
template <class Owner, class Member>
struct Field {
  std::string_view name;
  Member Owner::*member;
  unsigned bit, width;
  std::string_view meaning;
  int64_t low, high; // least and largest legal value; may be narrower than `width` allows
  Notation notation = Notation::number;

  constexpr Field(std::string_view name, Member Owner::*member, unsigned bit, unsigned width,
                  std::string_view meaning)
      : name(name), member(member), bit(bit), width(width), meaning(meaning), low(0), high(0) {
    if constexpr (NamedEnum<Member>) {
      high = static_cast<int64_t>(EnumNames<Member>::values.size()) - 1;
    } else if constexpr (std::signed_integral<Member>) {
      low = -(int64_t{1} << (width - 1));
      high = (int64_t{1} << (width - 1)) - 1;
    } else {
      high = width < 63 ? (int64_t{1} << width) - 1 : INT64_MAX;
    }
  }

  // A copy of the field description with a narrower range of legal values, both ends included.
  constexpr Field within(int64_t newLow, int64_t newHigh) const {
    Field narrowed = *this;
    narrowed.low = newLow;
    narrowed.high = newHigh;
    return narrowed;
  }
  constexpr Field from(int64_t newLow) const { return within(newLow, high); }
  // A copy of the field description with another notation of its values as text.
  constexpr Field as(Notation other) const {
    Field rewritten = *this;
    rewritten.notation = other;
    return rewritten;
  }
};

// A member that is itself a struct with fields(); its bit 0 is bit `bit` of the struct that contains it.
template <class Owner, class Member>
struct Group {
  std::string_view name;
  Member Owner::*member;
  unsigned bit;
  std::string_view meaning;
};
template <class Owner, class Member>
Group(std::string_view, Member Owner::*, unsigned, std::string_view) -> Group<Owner, Member>;

// A member that is an array of structs with fields(); elements begin `pitch` bits apart in the encoding.
template <class Owner, class Member, size_t count>
struct Repeated {
  std::string_view name;
  std::array<Member, count> Owner::*member;
  unsigned bit, pitch;
  std::string_view meaning;
};
template <class Owner, class Member, size_t count>
Repeated(std::string_view, std::array<Member, count> Owner::*, unsigned, unsigned, std::string_view)
    -> Repeated<Owner, Member, count>;

// The path of a field during a walk, e.g. "input.dims[2].stride". It is a linked list on the stack, turned
// into text only for messages.
struct FieldPath {
  const FieldPath *outer = nullptr;
  std::string_view name;
  int index = -1;
};

// Calls visit(path, field, value, bit) for every elementary field of `object`, in the order of fields().
// `bit` is counted from the start of the outermost struct.
template <class T, class Visitor>
constexpr void forEachField(T &object, Visitor &&visit, unsigned base = 0, const FieldPath *outer = nullptr) {
  auto visitOne = [&]<class Statement>(const Statement &statement) {
    FieldPath path{outer, statement.name};
    auto &member = object.*(statement.member);
    if constexpr (requires { statement.width; }) {
      visit(path, statement, member, base + statement.bit);
    } else if constexpr (requires { statement.pitch; }) {
      for (unsigned i = 0; i < member.size(); ++i) {
        path.index = static_cast<int>(i);
        forEachField(member[i], visit, base + statement.bit + i * statement.pitch, &path);
      }
    } else {
      forEachField(member, visit, base + statement.bit, &path);
    }
  };
  std::apply([&](const auto &...statements) { (visitOne(statements), ...); },
             std::remove_cvref_t<T>::fields());
}

// The mask of all bits of a struct that belong to a field. In a constant expression, fields that overlap or
// reach past the end do not compile.
template <class T, unsigned bits>
constexpr std::array<uint64_t, bits / 64> usedBits() {
  std::array<uint64_t, bits / 64> used{};
  T object{};
  forEachField(object, [&](const FieldPath &, const auto &field, const auto &, unsigned bit) {
    for (unsigned i = bit; i < bit + field.width; ++i) {
      if (i >= bits || (used[i / 64] >> (i % 64) & 1))
        throw "fields overlap or reach past the end of the instruction";
      used[i / 64] |= uint64_t{1} << (i % 64);
    }
  });
  return used;
}

} // namespace tilerig
