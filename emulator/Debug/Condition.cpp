#include "emulator/Debug/Condition.h"

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

constexpr std::string_view expected =
    "write VALUE COMPARISON VALUE, where a value is a number, cycle, semaphore(TILE,NUMBER), or TYPE(PLACE) "
    "such as fp16(ocm3:0x40)";

template <class T>
T loaded(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string trimmed(std::string text) {
  const auto isBlank = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && isBlank(text.back()))
    text.pop_back();
  const auto begin = std::ranges::find_if_not(text, isBlank);
  return {begin, text.end()};
}

Result<Condition::Operand> parseSemaphore(const std::string &text, const std::string &inside,
                                          const Program &program) {
  const size_t comma = inside.find(',');
  if (comma == std::string::npos)
    return usageError(text, "the tile and the number of the semaphore are missing", std::string(expected));
  TILERIG_TRY(const uint64_t tile, parseNumber(trimmed(inside.substr(0, comma)), "number of a tile"));
  TILERIG_TRY(const uint64_t number, parseNumber(trimmed(inside.substr(comma + 1)), "number of a semaphore"));
  if (tile >= program.tiles || number >= program.machine.tile.semaphores)
    return usageError(text, "there is no such semaphore");
  return Condition::Operand(
      Condition::SemaphoreValue{static_cast<uint32_t>(tile), static_cast<uint32_t>(number)});
}

Result<Condition::Operand> parseOperand(const std::string &text, const Program &program) {
  if (text == "cycle")
    return Condition::Operand(Condition::CycleValue{});
  const size_t open = text.find('(');
  if (open != std::string::npos && text.ends_with(')')) {
    const std::string name = text.substr(0, open), inside = text.substr(open + 1, text.size() - open - 2);
    if (name == "semaphore")
      return parseSemaphore(text, inside, program);
    const auto &types = EnumNames<ElementType>::values;
    const auto type = std::ranges::find(types, name);
    if (type == types.end())
      return usageError(text, fmt::format("'{}' is no type of elements", name),
                        fmt::format("use one of {}", fmt::join(types, ", ")));
    const auto element = static_cast<ElementType>(type - types.begin());
    TILERIG_TRY(const Location location, parseLocation(trimmed(inside), program));
    if (location.address + sizeBytes(element) > sizeOf(location.memory, program.machine))
      return usageError(text, "the element is not inside the memory");
    return Condition::Operand(Condition::MemoryValue{location, element});
  }
  if (text.starts_with("0x")) {
    TILERIG_TRY(const uint64_t number, parseNumber(text, "number"));
    return Condition::Operand(static_cast<double>(number));
  }
  double number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || at != text.data() + text.size())
    return usageError(text.empty() ? "condition" : text, "this is no value", std::string(expected));
  return Condition::Operand(number);
}

} // namespace

Result<Condition> Condition::parse(const std::string &text, const Program &program) {
  Condition condition;
  const size_t at = text.find_first_of("=!<>");
  if (at == std::string::npos)
    return usageError(text.empty() ? "if" : text, "this is no condition", std::string(expected));
  const size_t length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
  condition.comparison = text.substr(at, length);
  if (condition.comparison == "=" || condition.comparison == "!")
    return usageError(text, fmt::format("'{}' is no comparison", condition.comparison),
                      "use ==, !=, <, <=, > or >=");
  TILERIG_TRY(condition.left, parseOperand(trimmed(text.substr(0, at)), program));
  TILERIG_TRY(condition.right, parseOperand(trimmed(text.substr(at + length)), program));
  return condition;
}

bool Condition::holds(const std::function<double(const Operand &)> &valueOf) const {
  const auto value = [&](const Operand &operand) {
    const auto *constant = std::get_if<double>(&operand);
    return constant ? *constant : valueOf(operand);
  };
  const double a = value(left), b = value(right);
  if (comparison == "==")
    return a == b;
  if (comparison == "!=")
    return a != b;
  if (comparison == "<")
    return a < b;
  if (comparison == "<=")
    return a <= b;
  return comparison == ">" ? a > b : a >= b;
}

double elementValue(const std::byte *at, ElementType type) {
  switch (type) {
  case ElementType::i8:
    return loaded<int8_t>(at);
  case ElementType::u8:
    return loaded<uint8_t>(at);
  case ElementType::i9:
    return loaded<int16_t>(at);
  case ElementType::i32:
    return loaded<int32_t>(at);
  case ElementType::fp16:
    return toFloat(loaded<Fp16>(at));
  case ElementType::bf16:
    return toFloat(loaded<Bf16>(at));
  case ElementType::fp32:
    return loaded<float>(at);
  }
  return 0;
}

} // namespace tilerig::emulator
