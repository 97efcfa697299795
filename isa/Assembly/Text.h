// How assembly text spells numbers and strings. Cursor reads what these write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilerig {

void appendInteger(std::string &out, int64_t value);
void appendUnsigned(std::string &out, uint64_t value);
void appendHex(std::string &out, uint64_t value);
// The shortest decimal that reads back as the same float; inf, -inf; NaN as its bits in hexadecimal.
void appendFloat(std::string &out, float value);
// "{0-3, 7}": the one bits of `bits`.
void appendSet(std::string &out, uint64_t bits);
// In double quotes; what a terminal would act upon (isa/Support/Printable.h) is escaped, byte by byte,
// everything else stands as it is.
void appendString(std::string &out, std::string_view value);

} // namespace tilerig
