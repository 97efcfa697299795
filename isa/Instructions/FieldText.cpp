#include "isa/Instructions/FieldText.h"

#include <fmt/format.h>

namespace tilerig {

std::string fieldName(const FieldPath &path) {
  std::string text = path.outer ? fieldName(*path.outer) + "." : std::string();
  text += path.name;
  if (path.index >= 0)
    text += fmt::format("[{}]", path.index);
  return text;
}

std::string choiceText(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string integerRangeText(int64_t low, int64_t high, unsigned width, bool isSigned) {
  // The maximum of a 64-bit unsigned field does not fit in int64_t, in which Field stores ranges.
  if (width == 64 && !isSigned)
    return fmt::format("{}..{}", low, UINT64_MAX);
  return fmt::format("{}..{}", low, high);
}

std::string floatText(float value) { return fmt::format("{}", value); }

} // namespace tilerig
