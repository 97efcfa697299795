#include "emulator/Debug/Console/Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

Result<Words> Words::of(const std::string &line) {
  Words words;
  bool isQuoted = false, isInWord = false;
  for (char letter : line) {
    const bool isBlank = letter == ' ' || letter == '\t' || letter == '\r';
    if (letter == '"') {
      if (!isInWord)
        words.words.emplace_back();
      isQuoted = !isQuoted;
      isInWord = true;
    } else if (isBlank && !isQuoted) {
      isInWord = false;
    } else {
      if (!isInWord)
        words.words.emplace_back();
      isInWord = true;
      words.words.back() += letter;
    }
  }
  if (isQuoted)
    return usageError(line, "a quotation mark is missing");
  return words;
}

Result<std::string> Words::take(const std::string &what) {
  if (words.empty())
    return usageError(what, "this is missing");
  std::string word = std::move(words.front());
  words.pop_front();
  return word;
}

Result<uint64_t> Words::takeNumber(const std::string &what) {
  TILERIG_TRY(const std::string word, take(what));
  return parseNumber(word, what);
}

Result<uint32_t> Words::takeIndex(const std::string &what, uint64_t end) {
  TILERIG_TRY(const uint64_t number, takeNumber(what));
  if (number >= end)
    return usageError(fmt::format("{} {}", what, number),
                      end == 0 ? "there is none"
                               : fmt::format("it is too large; the largest is {}", end - 1));
  return static_cast<uint32_t>(number);
}

bool Words::takeIf(const std::string &word) {
  if (words.empty() || words.front() != word)
    return false;
  words.pop_front();
  return true;
}

Result<size_t> Words::takeOneOf(const std::string &what, const std::vector<std::string_view> &names) {
  TILERIG_TRY(const std::string word, take(what));
  const auto at = std::ranges::find(names, word);
  if (at == names.end())
    return usageError(word, fmt::format("this is no {}", what),
                      fmt::format("use one of {}", fmt::join(names, ", ")));
  return static_cast<size_t>(at - names.begin());
}

std::string Words::rest() {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  words.clear();
  return text;
}

Status Words::end() const {
  return words.empty() ? success() : Status(usageError(words.front(), "this word is too much"));
}

bool isNumber(const std::string &word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

} // namespace tilerig::emulator
