// Makes untrusted text safe for a terminal. Names of tensors, nodes and files may contain any bytes, and some
// would make a terminal set its title, change colours, overwrite other lines or show text in reverse.
//
// Escaped are control characters (C0, DEL, C1), characters that change the direction of text or separate
// lines (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), and bytes that are not UTF-8. Bytes are
// written as \x1b and code points beyond ASCII as \u202e, which is also legal in JSON strings.
#pragma once

#include "isa/Base/Support/Utf8.h"

#include <string>
#include <string_view>

namespace tilerig {

// Whether a terminal might act upon the code point; line ends are included.
bool isControl(uint32_t codePoint);

// Escapes a name or a message of one line: line ends and tabs are escaped, too.
std::string printable(std::string_view text);
// Escapes output of several lines: line ends and tabs are unchanged.
std::string printableLines(std::string_view text);

} // namespace tilerig
