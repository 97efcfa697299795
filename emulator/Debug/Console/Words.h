// The words of a line that a user has typed.
#pragma once

#include "emulator/Debug/Location.h"
#include "isa/Instructions/Types.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::emulator {

class Words {
public:
  // Splits at blanks; a word in double quotes may contain blanks.
  static Result<Words> of(const std::string &line);

  bool empty() const { return words.empty(); }
  size_t size() const { return words.size(); }
  const std::string &front() const { return words.front(); }
  // Takes the next word; `what` says in an error what is missing.
  Result<std::string> take(const std::string &what);
  Result<uint64_t> takeNumber(const std::string &what);
  // Takes a number that is less than `end`.
  Result<uint32_t> takeIndex(const std::string &what, uint64_t end);
  // Takes the next word if it is this one.
  bool takeIf(const std::string &word);
  // Takes the name of a value of an enumeration.
  template <class Enum>
  Result<Enum> takeName(const std::string &what) {
    TILERIG_TRY(const size_t index,
                takeOneOf(what, {EnumNames<Enum>::values.begin(), EnumNames<Enum>::values.end()}));
    return static_cast<Enum>(index);
  }
  // The words that are left, with a blank between two of them.
  std::string rest();
  // An error if words are left.
  Status end() const;

private:
  Result<size_t> takeOneOf(const std::string &what, const std::vector<std::string_view> &names);

  std::deque<std::string> words;
};

// Whether a word begins with a digit.
bool isNumber(const std::string &word);

} // namespace tilerig::emulator
