// Strict reader of JSON files. One pass over the text checks it and builds the tree of its values.
//
// JSON allows an object to have a key twice, and most parsers then ignore one of the two values silently.
// Programs that read single keys of an object do the same with a misspelt key. This reader refuses both, and
// every error names its place, so that users find the mistake in their file.
#pragma once

#include "isa/Base/Support/JsonPlace.h"

namespace tilerig {

struct JsonLimits {
  size_t longest = size_t{16} << 20; // largest length of a JSON text in bytes
  size_t deepest = 16;               // largest number of nested objects and lists
};
// Limits for JSON files that commands of tilerig write: they may be longer than files written by people.
inline constexpr JsonLimits limitsOfOwnFiles{.longest = size_t{1} << 30};

// Parses a JSON text. Returns an error for a text that is no JSON, is not UTF-8 or has anything behind its
// value, for a number that no double can hold, for a key that an object has twice, and for a text beyond the
// limits. Errors name the line and the column, counted in bytes from 1 ("place:3:14", or "line 3, column 14"
// if `place` is empty), or the path of a key ("place: layers[2].id"). Time and memory are in proportion to
// the text.
Result<Json> parseStrictJson(std::string_view text, const std::string &place, JsonLimits limits = {});
// Parses one line of a file that has a JSON value on each line; `path` and `line` are for error messages.
Result<Json> parseJsonLine(std::string_view text, const std::string &path, size_t line);
// Parses a file.
Result<Json> readStrictJson(const std::string &path, JsonLimits limits = {});

} // namespace tilerig
