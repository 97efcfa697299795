// Strict reader for hand-written JSON; errors name the place in the text.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

#include <span>
#include <string>
#include <string_view>

namespace tilerig::compiler {

using Json = nlohmann::ordered_json;

// Parses an object and keeps the order of its keys. Refuses duplicate keys, which JSON itself allows, and
// nesting deeper than any of our files needs. The place of an error is its line and column, or the key.
Result<Json> parseJsonObject(std::string_view text);

// Refuses any key of the object that is not in `known`.
Status checkKeys(const Json &object, std::string_view place, std::span<const std::string_view> known);
// The string value of a key; null if the key is missing, an error if its value is not a string.
Result<const std::string *> findText(const Json &object, std::string_view place, std::string_view key);

// Path of a key, as "layers.conv1", within the path `place`, which may be empty.
std::string keyPlace(std::string_view place, std::string_view key);
// The JSON value as a short text for error messages.
std::string shown(const Json &value);

} // namespace tilerig::compiler
