// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilerig {

struct CodePoint {
  uint32_t value = 0;
  size_t length = 0; // in bytes; 0 where the text does not begin with a whole one
};

// The first code point of a text that is not empty.
CodePoint firstCodePoint(std::string_view text);

bool isAscii(std::string_view text);
bool isUtf8(std::string_view text);

} // namespace tilerig
