// A strict reader for small JSON descriptions: nested objects become a flat table from paths to values.
//
// {"pod": {"int8": {"k": 4}}} has the entries "pod" (an object), "pod.int8" (an object) and "pod.int8.k" (a
// number). A number is a whole one from 0 to 2^64-1, written without fraction or exponent; whatever else
// stands there keeps its text for the message that refuses it. A key given twice, a list, a comment and
// nesting beyond what a description can need are refused here, and so is a text too long to be one; nothing
// is allocated out of proportion to it.
#pragma once

#include "isa/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilerig {

struct JsonEntry {
  enum class Kind { object, number, text, other };
  Kind kind = Kind::other;
  uint64_t number = 0;
  std::string text; // of a text: its characters; of a number or something else: as a person would write it
};

using FlatJson = std::map<std::string, JsonEntry, std::less<>>;

// Errors have the path of the offending field, or the line and column, as their place.
Result<FlatJson> readFlatJson(std::string_view json);

// The text in quotes, short and printable whatever bytes it has.
std::string inQuotes(std::string_view text);

} // namespace tilerig
