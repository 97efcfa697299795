#include "isa/Base/Support/Base64.h"

#include <array>
#include <cstdint>

namespace tilerig {

namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t noLetter = 64;

constexpr std::array<uint8_t, 256> valuesOfLetters() {
  std::array<uint8_t, 256> values{};
  values.fill(noLetter);
  for (size_t i = 0; i < letters.size(); ++i)
    values[static_cast<uint8_t>(letters[i])] = static_cast<uint8_t>(i);
  return values;
}

} // namespace

std::string toBase64(std::span<const std::byte> bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? std::to_integer<uint32_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<std::byte>> fromBase64(std::string_view text) {
  static constexpr std::array<uint8_t, 256> values = valuesOfLetters();
  if (text.size() % 4 != 0)
    return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      const bool isPadding = i + k >= text.size() - padding;
      const uint8_t value = isPadding ? 0 : values[static_cast<uint8_t>(text[i + k])];
      if (value == noLetter)
        return std::nullopt;
      group = group << 6 | value;
    }
    for (size_t k = 0; k < 3; ++k)
      bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * k)));
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

} // namespace tilerig
