// A protobuf message as JSON, with numbers as numbers (protobuf's own mapping writes 64-bit ones as text),
// names as in the schema, enumerations by their names in small letters, and every field present.
#pragma once

#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

namespace tilerig {

nlohmann::ordered_json toJson(const google::protobuf::Message &message);

// The values of a repeated field of messages.
template <class Messages>
nlohmann::ordered_json toJsonList(const Messages &messages) {
  auto list = nlohmann::ordered_json::array();
  for (const auto &message : messages)
    list.push_back(toJson(message));
  return list;
}

} // namespace tilerig
