#include "isa/Tensor/Utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tilerig {

bool isAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

// What a first byte says: the length of its sequence (0: it is no first byte), its share of the code point,
// and the smallest code point that needs this length.
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

bool isUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    auto [length, point, smallest] = leadOf(static_cast<uint8_t>(text[at]));
    if (length == 0 || length > text.size() - at)
      return false;
    for (char next : text.substr(at + 1, length - 1)) {
      auto byte = static_cast<uint8_t>(next);
      if ((byte & 0xC0) != 0x80)
        return false;
      point = point << 6 | (byte & 0x3Fu);
    }
    if (point < smallest || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      return false;
    at += length;
  }
  return true;
}

} // namespace tilerig
