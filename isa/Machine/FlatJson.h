// A strict reader for small JSON descriptions: nested objects become a flat table from paths to values.
//
// {"pod": {"int8": {"k": 4}}} has the entries "pod" (an object), "pod.int8" (an object) and "pod.int8.k" (a
// number). Numbers are integers from 0 to 2^64-1, written without fraction or exponent; any other value keeps
// its text for the error message. Duplicate keys, lists, comments, deep nesting and overlong texts are
// refused. Memory use is proportional to the text.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilerig {

struct JsonEntry {
  enum class Kind { object, number, text, other };
  Kind kind = Kind::other;
  uint64_t number = 0;
  std::string text; // a string's characters; otherwise the value's text for messages
};

using FlatJson = std::map<std::string, JsonEntry, std::less<>>;

// The place of an error is the path of the offending field, or the line and column.
Result<FlatJson> readFlatJson(std::string_view json);

// The text in quotes for error messages: shortened, with unprintable bytes escaped.
std::string inQuotes(std::string_view text);

} // namespace tilerig
