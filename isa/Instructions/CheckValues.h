// The smallest rules, of which all others are made: each names the field that it refuses and what was
// expected.
//
// Fields are named by paths, {&group, "stride"}, which cost nothing until there is something to say; for the
// same reason the words that follow are literals wherever they can be.
#pragma once

#include "isa/Instructions/FieldText.h"
#include "isa/Instructions/Types.h"

#include <fmt/format.h>

#include <cmath>

namespace tilerig::rules {

// The path of a field of the instruction itself, or of a group by its full name.
constexpr FieldPath topLevel(std::string_view name) { return {nullptr, name}; }

template <class Value>
Error refuse(const FieldPath &field, Value value, std::string_view expected) {
  return invalidInput(fieldName(field), "is " + valueText(value), fmt::format("expected {}", expected));
}

template <class Value>
Status expectZero(const FieldPath &field, Value value, std::string_view why) {
  return toBits(value) == 0 ? success() : refuse(field, value, fmt::format("0, as {}", why));
}

// The same for all fields of a group. A -0.0 is not zero: its sign bit is set.
template <class T>
Status expectAllZero(const FieldPath &group, const T &object, std::string_view why) {
  uint64_t bits = 0;
  forEachField(object, [&](const FieldPath &, const auto &, auto value, unsigned) { bits |= toBits(value); });
  if (bits == 0) [[likely]]
    return success();
  Status status = success();
  forEachField(
      object,
      [&](const FieldPath &path, const auto &, auto value, unsigned) {
        if (status)
          status = expectZero(path, value, why);
      },
      0, &group);
  return status;
}

template <class Value>
Status expectEqual(const FieldPath &field, Value value, Value expected, std::string_view why) {
  return value == expected ? success()
                           : refuse(field, value, fmt::format("{}, {}", valueText(expected), why));
}

inline Status expectFinite(const FieldPath &field, float value) {
  return std::isfinite(value) ? success() : refuse(field, value, "a finite number");
}

// The values of a quantised type.
constexpr int lowestOf(ElementType quantised) {
  return quantised == ElementType::u8 ? 0 : quantised == ElementType::i8 ? -128 : -256;
}
constexpr int highestOf(ElementType quantised) { return quantised == ElementType::i8 ? 127 : 255; }
inline Status expectInType(const FieldPath &field, int value, ElementType quantised) {
  if (lowestOf(quantised) <= value && value <= highestOf(quantised))
    return success();
  return refuse(
      field, value,
      fmt::format("{}..{}, as {} holds", lowestOf(quantised), highestOf(quantised), valueText(quantised)));
}

} // namespace tilerig::rules
