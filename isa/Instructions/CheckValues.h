// The elementary checks of field values from which all rules are built. Each error names the field and the
// expected value.
//
// Fields are identified by paths such as {&group, "stride"}, which become text only when an error is
// reported, so that checking a legal instruction formats no text. For the same reason the explanations are
// string literals wherever possible.
#pragma once

#include "isa/Instructions/FieldText.h"
#include "isa/Instructions/Types.h"

#include <fmt/format.h>

#include <cmath>

namespace tilerig::rules {

// The path of a top-level field of the instruction, or of a group given by its full name.
constexpr FieldPath topLevel(std::string_view name) { return {nullptr, name}; }

template <class Value>
Error refuse(const FieldPath &field, Value value, std::string_view remedy) {
  return invalidInput(fieldName(field), "is " + valueText(value), std::string(remedy));
}

template <class Value>
Status expectZero(const FieldPath &field, Value value, std::string_view why) {
  return toBits(value) == 0 ? success() : refuse(field, value, fmt::format("expected 0, as {}", why));
}

// Requires all fields of a group, such as those of an absent operand, to be zero. A -0.0 is refused, because
// its sign bit is set.
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
                           : refuse(field, value, fmt::format("expected {}, {}", valueText(expected), why));
}

inline Status expectFinite(const FieldPath &field, float value) {
  return std::isfinite(value) ? success() : refuse(field, value, "expected a finite number");
}

// The range of values of a quantised type.
constexpr int lowestOf(ElementType quantised) {
  return quantised == ElementType::u8 ? 0 : quantised == ElementType::i8 ? -128 : -256;
}
constexpr int highestOf(ElementType quantised) { return quantised == ElementType::i8 ? 127 : 255; }
inline Status expectInType(const FieldPath &field, int value, ElementType quantised) {
  if (lowestOf(quantised) <= value && value <= highestOf(quantised))
    return success();
  return refuse(field, value,
                fmt::format("expected {}..{}, as {} holds", lowestOf(quantised), highestOf(quantised),
                            valueText(quantised)));
}

} // namespace tilerig::rules
