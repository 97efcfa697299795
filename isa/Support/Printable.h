// Text for a terminal. Names of tensors, nodes and files come from outside and hold any bytes; a terminal
// would act upon some: set its title, change colours, write over other lines, show text in reverse.
//
// Escaped are control characters (C0, DEL, C1), marks that change the direction of text or end lines (U+061C,
// U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), and bytes that are not UTF-8: bytes as \x1b, code
// points beyond ASCII as \u202e, which strings of JSON take as well.
#pragma once

#include "isa/Support/Utf8.h"

#include <string>
#include <string_view>

namespace tilerig {

// Whether a terminal might act upon it. Ends of lines are among them.
bool isControl(uint32_t codePoint);

// For a name, or a message of one line.
std::string printable(std::string_view text);
// For whole output: ends of lines and tabs stay.
std::string printableLines(std::string_view text);

} // namespace tilerig
