#include "isa/Tools/Inspect/ProtoJson.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace tilerig {

namespace pb = google::protobuf;
static std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// JSON has no infinities and no NaN; they are written as strings.
static Json floatJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

// The value of a protobuf field as JSON, or that of element `index` of a repeated field; `index` is -1 for a
// single field.
static Json valueJson(const pb::Message &message, const pb::FieldDescriptor &field, int index) {
  const pb::Reflection &reflection = *message.GetReflection();
  auto get = [&](auto single, auto repeated) {
    return index < 0 ? (reflection.*single)(message, &field) : (reflection.*repeated)(message, &field, index);
  };
  using R = pb::Reflection;
  switch (field.cpp_type()) {
  case pb::FieldDescriptor::CPPTYPE_INT32:
    return get(&R::GetInt32, &R::GetRepeatedInt32);
  case pb::FieldDescriptor::CPPTYPE_INT64:
    return get(&R::GetInt64, &R::GetRepeatedInt64);
  case pb::FieldDescriptor::CPPTYPE_UINT32:
    return get(&R::GetUInt32, &R::GetRepeatedUInt32);
  case pb::FieldDescriptor::CPPTYPE_UINT64:
    return get(&R::GetUInt64, &R::GetRepeatedUInt64);
  case pb::FieldDescriptor::CPPTYPE_FLOAT:
    return floatJson(get(&R::GetFloat, &R::GetRepeatedFloat));
  case pb::FieldDescriptor::CPPTYPE_DOUBLE:
    return floatJson(get(&R::GetDouble, &R::GetRepeatedDouble));
  case pb::FieldDescriptor::CPPTYPE_BOOL:
    return get(&R::GetBool, &R::GetRepeatedBool);
  case pb::FieldDescriptor::CPPTYPE_ENUM:
    return lowerCase(get(&R::GetEnum, &R::GetRepeatedEnum)->name());
  case pb::FieldDescriptor::CPPTYPE_STRING:
    return get(&R::GetString, &R::GetRepeatedString);
  case pb::FieldDescriptor::CPPTYPE_MESSAGE:
    return toJson(index < 0 ? reflection.GetMessage(message, &field)
                            : reflection.GetRepeatedMessage(message, &field, index));
  }
  return nullptr;
}

// Protobuf keeps maps in hash order; here keys are sorted in ascending order.
static Json mapJson(const pb::Message &message, const pb::FieldDescriptor &field) {
  std::map<std::string, Json> entries;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
    const pb::Message &entry = message.GetReflection()->GetRepeatedMessage(message, &field, i);
    std::string key = valueJson(entry, *entry.GetDescriptor()->map_key(), -1).get<std::string>();
    entries[key] = valueJson(entry, *entry.GetDescriptor()->map_value(), -1);
  }
  Json object = Json::object();
  for (auto &[key, value] : entries)
    object[key] = std::move(value);
  return object;
}

static Json fieldJson(const pb::Message &message, const pb::FieldDescriptor &field) {
  if (field.is_map())
    return mapJson(message, field);
  if (!field.is_repeated())
    return valueJson(message, field, -1);
  Json list = Json::array();
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i)
    list.push_back(valueJson(message, field, i));
  return list;
}

Json toJson(const pb::Message &message) {
  Json object = Json::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const pb::FieldDescriptor &field = *message.GetDescriptor()->field(i);
    object[field.name()] = fieldJson(message, field);
  }
  return object;
}

} // namespace tilerig
