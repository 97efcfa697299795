#include "isa/Base/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

bool isControl(uint32_t codePoint) {
  const auto isAmong = [&](uint32_t first, uint32_t last) { return codePoint >= first && codePoint <= last; };
  return codePoint < 0x20 || isAmong(0x7F, 0x9F) || codePoint == 0x061C || isAmong(0x200E, 0x200F) ||
         isAmong(0x2028, 0x202E) || isAmong(0x2066, 0x2069);
}

static bool isPlain(char letter, std::string_view kept) {
  return (letter >= 0x20 && letter < 0x7F) || kept.find(letter) != kept.npos;
}

static std::string escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const auto run = static_cast<size_t>(
        std::ranges::find_if_not(text, [&](char letter) { return isPlain(letter, kept); }) - text.begin());
    shown += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty())
      break;
    const auto [codePoint, length] = firstCodePoint(text);
    if (length == 0 || codePoint < 0x20)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (isControl(codePoint))
      shown += fmt::format("\\u{:04x}", codePoint);
    else
      shown += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return shown;
}

std::string printable(std::string_view text) { return escaped(text, ""); }
std::string printableLines(std::string_view text) { return escaped(text, "\n\t"); }

} // namespace tilerig
