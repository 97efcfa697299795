// Small JSON files that people write: thresholds and maps of names. Text that is not JSON, keys given twice
// and keys that nobody knows are refused where they stand, because what is skipped silently was meant to do
// something.
#pragma once

#include "isa/Support/Error.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>

namespace tilerig::verify {

using Json = nlohmann::ordered_json;

Result<Json> readStrictJson(const std::string &path);
// `place` leads the messages.
Result<Json> parseStrictJson(const std::string &text, const std::string &place);

// A value of a file with the path that led to it.
struct JsonPlace {
  const Json &value;
  std::string place;

  JsonPlace at(const std::string &key) const { return {value.at(key), place + "." + key}; }
  Error refuse(std::string what, std::string remedy = {}) const;
  // An object with no other keys than these.
  Status expectObject(std::span<const std::string_view> known) const;
  // An object with names of the user's for keys.
  Status expectObject() const;
  Status expectArray() const;
  Result<std::string> text() const;
};

} // namespace tilerig::verify
