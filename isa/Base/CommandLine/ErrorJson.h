// Conversion of an error to JSON: its kind, place, description and remedy.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

namespace tilerig {

nlohmann::ordered_json asJson(const Error &error);
// A complete JSON document that contains only the error.
std::string errorDocument(const Error &error);

} // namespace tilerig
