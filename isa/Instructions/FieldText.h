// Fields in words: the path by which all messages and the assembler name them, their range, and a value of
// theirs.
#pragma once

#include "isa/Instructions/FieldValue.h"
#include "isa/Support/Error.h"

#include <span>
#include <string>

namespace tilerig {

// "input.dims[2].stride"
std::string fieldName(const FieldPath &path);

// "halfEven, halfAway or down": a choice as a sentence shows it.
std::string choiceText(std::span<const std::string_view> names);

// What a field takes: "1..65535", "i8, u8 or i9", "any fp32".
std::string integerRangeText(int64_t low, int64_t high, unsigned width, bool isSigned);
template <class Owner, class Member>
std::string rangeText(const Field<Owner, Member> &field) {
  if constexpr (NamedEnum<Member>) {
    const auto &values = EnumNames<Member>::values;
    return choiceText(std::span(values).subspan(static_cast<size_t>(field.low),
                                                static_cast<size_t>(field.high - field.low + 1)));
  } else if constexpr (std::is_same_v<Member, float>) {
    return "any fp32";
  } else {
    return integerRangeText(field.low, field.high, field.width, std::signed_integral<Member>);
  }
}

// A value as a message shows it; an enum by name, and by number where it has none.
std::string floatText(float value);
template <class Member>
std::string valueText(Member value) {
  if constexpr (NamedEnum<Member>) {
    const auto index = static_cast<size_t>(value);
    if (index < EnumNames<Member>::values.size())
      return std::string(EnumNames<Member>::values[index]);
    return std::to_string(index);
  } else if constexpr (std::is_same_v<Member, float>) {
    return floatText(value);
  } else {
    return std::to_string(value);
  }
}

// Refuses a value outside the range of its field, naming both.
template <class Owner, class Member>
Status checkRange(const FieldPath &path, const Field<Owner, Member> &field, Member value) {
  if (inRange(field, value))
    return success();
  return invalidInput(fieldName(path), "is " + valueText(value), "expected " + rangeText(field));
}

} // namespace tilerig
