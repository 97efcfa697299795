// Conversion of an error to JSON: its kind, place, description and remedy.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Support/Json.h"

namespace tilerig {

nlohmann::ordered_json asJson(const Error &error);
// A complete JSON document that contains only the error.
std::string errorDocument(const Error &error);

} // namespace tilerig
