// Text for fields: the path by which messages and the assembler name a field, its range, and its value.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/FieldValue.h"

#include <span>
#include <string>

namespace tilerig {

// The path of a field as text, e.g. "input.dims[2].stride".
std::string fieldName(const FieldPath &path);

// Joins names for a sentence: "halfEven, halfAway or down".
std::string choiceText(std::span<const std::string_view> names);

// The legal values of a field as text: "1..65535", "i8, u8 or i9", "any fp32".
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

// A value of a field as text for messages; an enum by its name, or by its number if no name exists.
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

// Refuses a value outside the range of its field; the error names the value and the range.
template <class Owner, class Member>
Status checkRange(const FieldPath &path, const Field<Owner, Member> &field, Member value) {
  if (inRange(field, value))
    return success();
  return invalidInput(fieldName(path), "is " + valueText(value), "expected " + rangeText(field));
}

} // namespace tilerig
