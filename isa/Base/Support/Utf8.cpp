#include "isa/Base/Support/Utf8.h"

#include <algorithm>

namespace tilerig {

bool isAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

// What the first byte of a sequence determines: the length of the sequence (0: not a first byte), the byte's
// bits of the code point, and the smallest code point that needs this length.
struct Lead {
  size_t length;
  uint32_t payload, smallest;
};
static Lead leadOf(uint8_t byte) {
  if (byte < 0x80)
    return {1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0)
    return {2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0)
    return {3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8)
    return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

CodePoint firstCodePoint(std::string_view text) {
  auto [length, point, smallest] = leadOf(static_cast<uint8_t>(text[0]));
  if (length == 0 || length > text.size())
    return {};
  for (char next : text.substr(1, length - 1)) {
    auto byte = static_cast<uint8_t>(next);
    if ((byte & 0xC0) != 0x80)
      return {};
    point = point << 6 | (byte & 0x3Fu);
  }
  if (point < smallest || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
    return {};
  return {point, length};
}

size_t validUtf8(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    const size_t length = firstCodePoint(text.substr(valid)).length;
    if (length == 0)
      break;
    valid += length;
  }
  return valid;
}

bool isUtf8(std::string_view text) { return validUtf8(text) == text.size(); }

} // namespace tilerig
