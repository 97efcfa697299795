// Conversion of protobuf messages to JSON. Numbers stay numbers (protobuf's own mapping writes 64-bit ones as
// text), field names are those of the schema, enumerations are lower-case names, and every field is present.
#pragma once

#include "isa/Base/Support/Json.h"

#include <google/protobuf/message.h>

namespace tilerig {

nlohmann::ordered_json toJson(const google::protobuf::Message &message);

// Converts a repeated field of messages to a JSON array.
template <class Messages>
nlohmann::ordered_json toJsonList(const Messages &messages) {
  auto list = nlohmann::ordered_json::array();
  for (const auto &message : messages)
    list.push_back(toJson(message));
  return list;
}

} // namespace tilerig
