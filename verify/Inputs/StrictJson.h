// Strict parser of small JSON files that people write (thresholds, name maps). Refuses text that is not JSON,
// duplicate keys and unknown keys, and says where they are: a misspelt key would otherwise be ignored
// silently.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

#include <optional>
#include <span>
#include <string>

namespace tilerig::verify {

using Json = nlohmann::ordered_json;

Result<Json> readStrictJson(const std::string &path);
// Parses a text; `place` is the prefix of error messages.
Result<Json> parseStrictJson(const std::string &text, const std::string &place);

// A value in a JSON file, and where in the file it is, for error messages.
struct JsonPlace {
  const Json &value;
  std::string place;

  JsonPlace at(const std::string &key) const { return {value.at(key), place + "." + key}; }
  Error refuse(std::string description, std::string remedy = {}) const;
  // Requires an object with no keys other than `known`.
  Status expectObject(std::span<const std::string_view> known) const;
  // Requires an object whose keys are names chosen by the user.
  Status expectObject() const;
  Status expectArray() const;
  Result<std::string> text() const;
};

} // namespace tilerig::verify
