// Formats numbers, sets and strings for assembly text; Cursor parses this notation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilerig {

void appendInteger(std::string &out, int64_t value);
void appendUnsigned(std::string &out, uint64_t value);
void appendHex(std::string &out, uint64_t value);
// Appends the shortest decimal that reads back as the same float; "inf", "-inf"; a NaN as its bits in
// hexadecimal.
void appendFloat(std::string &out, float value);
// Appends the numbers of the bits that are 1, for example "{0-3, 7}".
void appendSet(std::string &out, uint64_t bits);
// Appends the string in double quotes. Characters that a terminal would act upon
// (isa/Base/Support/Printable.h) are escaped byte by byte; all others are unchanged.
void appendString(std::string &out, std::string_view value);

} // namespace tilerig
