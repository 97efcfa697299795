// Whether text is UTF-8: names that go into zip archives must be, or other programs read other names.
#pragma once

#include <string_view>

namespace tilerig {

bool isAscii(std::string_view text);
// As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool isUtf8(std::string_view text);

} // namespace tilerig
