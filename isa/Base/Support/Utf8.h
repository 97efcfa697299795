// Decoding and validation of UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilerig {

struct CodePoint {
  uint32_t value = 0;
  size_t length = 0; // length of the code point in bytes; 0 if the text begins with no valid one
};

// Decodes the first code point of a non-empty text.
CodePoint firstCodePoint(std::string_view text);

// The length in bytes of the longest valid beginning of the text.
size_t validUtf8(std::string_view text);

bool isAscii(std::string_view text);
bool isUtf8(std::string_view text);

} // namespace tilerig
