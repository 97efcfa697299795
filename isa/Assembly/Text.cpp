#include "isa/Assembly/Text.h"

#include "isa/Base/Support/Printable.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace tilerig {

template <class Number, class... Format>
static void append(std::string &out, Number value, Format... format) {
  std::array<char, 32> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format...).ptr;
  out.append(digits.data(), end);
}

void appendInteger(std::string &out, int64_t value) { append(out, value); }
void appendUnsigned(std::string &out, uint64_t value) { append(out, value); }

void appendHex(std::string &out, uint64_t value) {
  out += "0x";
  append(out, value, 16);
}

void appendFloat(std::string &out, float value) {
  if (std::isnan(value))
    appendHex(out, std::bit_cast<uint32_t>(value));
  else
    append(out, value); // infinity becomes "inf" or "-inf", as Cursor expects
}

void appendSet(std::string &out, uint64_t bits) {
  out += '{';
  for (bool first = true; bits != 0; first = false) {
    int low = std::countr_zero(bits);
    int count = std::countr_one(bits >> low);
    if (!first)
      out += ", ";
    append(out, low);
    if (count > 1) {
      out += '-';
      append(out, low + count - 1);
    }
    bits = low + count < 64 ? bits >> (low + count) << (low + count) : 0;
  }
  out += '}';
}

void appendString(std::string &out, std::string_view value) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '"';
  while (!value.empty()) {
    const auto [code, length] = firstCodePoint(value);
    const std::string_view letter = value.substr(0, std::max<size_t>(length, 1));
    value.remove_prefix(letter.size());
    if (letter == "\"" || letter == "\\")
      (out += '\\') += letter;
    else if (letter == "\n")
      out += "\\n";
    else if (letter == "\t")
      out += "\\t";
    else if (length > 0 && !isControl(code))
      out += letter;
    else
      for (const char byte : letter)
        out += {'\\', 'x', digits[static_cast<unsigned char>(byte) >> 4], digits[byte & 15]};
  }
  out += '"';
}

} // namespace tilerig
