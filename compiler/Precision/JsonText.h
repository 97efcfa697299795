// JSON that people write by hand: read strictly, refused with the place.
#pragma once

#include "isa/Support/Error.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

using Json = nlohmann::ordered_json;

// An object, keys in the order of the text. Refuses a key given twice, which JSON itself lets pass, and
// nesting deeper than any file of ours needs. The place of an error is its line and column, or the key.
Result<Json> parseJsonObject(std::string_view text);

// Refuses a key of the object that is none of `known`.
Status checkKeys(const Json &object, std::string_view place, std::span<const std::string_view> known);
// The text of a key; null where it is not there, an error where it is no text.
Result<const std::string *> findText(const Json &object, std::string_view place, std::string_view key);

// "layers.conv1", a key within a place, which may be empty.
std::string keyPlace(std::string_view place, std::string_view key);
// A value as a short text for messages.
std::string shown(const Json &value);

} // namespace tilerig
