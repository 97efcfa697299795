// An error as part of a JSON document: its kind, where it is, what is wrong and what to do.
#pragma once

#include "isa/Support/Error.h"

#include <nlohmann/json.hpp>

namespace tilerig {

nlohmann::ordered_json asJson(const Error &error);
// A document of nothing else.
std::string errorDocument(const Error &error);

} // namespace tilerig
