#include "verify/Evidence/OriginJson.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

struct TextField {
  const char *key;
  std::string Origin::*member;
};
constexpr TextField textFields[] = {
    {"bug", &Origin::bug},
    {"text", &Origin::text},
    {"stage", &Origin::stage},
    {"site", &Origin::site},
    {"family", &Origin::family},
    {"network", &Origin::network},
    {"precision", &Origin::precision},
    {"machine", &Origin::machine},
    {"strategy", &Origin::strategy},
    {"layer", &Origin::layer},
    {"kind", &Origin::kind},
    {"op", &Origin::op},
    {"against", &Origin::against},
    {"caught", &Origin::caught},
};

} // namespace

DatasetJson asJson(const Origin &origin, uint64_t digest) {
  DatasetJson json = {{"class", nameOf(origin.bugClass)}};
  for (const TextField &field : textFields)
    json[field.key] = origin.*field.member;
  json["tiles"] = origin.tiles;
  json["unit"] = origin.unit;
  json["digest"] = printDigest(digest);
  return json;
}

Result<OriginLine> originOf(const DatasetJson &json, const std::string &place) {
  OriginLine line;
  for (const TextField &field : textFields) {
    TILERIG_TRY(line.origin.*field.member, textIn(json, field.key, place));
  }
  TILERIG_TRY(const std::string name, textIn(json, "class", place));
  const auto &names = EnumNames<BugClass>::values;
  const auto position = std::ranges::find(names, name);
  if (position == names.end())
    return invalidInput(place, fmt::format("unknown bug class '{}'", name), "make the dataset again");
  line.origin.bugClass = static_cast<BugClass>(position - names.begin());
  TILERIG_TRY(const uint64_t tiles, countIn(json, "tiles", place));
  line.origin.tiles = static_cast<unsigned>(tiles);
  TILERIG_TRY(line.origin.unit, countIn(json, "unit", place));
  const auto digest = json.find("digest");
  TILERIG_TRY(line.digest, parseDigest(digest == json.end() ? DatasetJson() : *digest, place));
  return line;
}

std::string printDigest(uint64_t digest) { return fmt::format("{:016x}", digest); }

Result<uint64_t> parseDigest(const DatasetJson &text, const std::string &place) {
  const std::string digits = text.is_string() ? text.get<std::string>() : std::string();
  uint64_t digest = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size())
    return invalidInput(place, "a digest must be a string of sixteen hexadecimal digits");
  return digest;
}

Result<DatasetJson> parseObject(std::string_view text, const std::string &place) {
  DatasetJson json = DatasetJson::parse(text, nullptr, false);
  if (!json.is_object())
    return invalidInput(place, "the text is not a JSON object", "make the dataset again");
  return json;
}

Result<std::string> textIn(const DatasetJson &json, const char *key, const std::string &place) {
  const auto field = json.find(key);
  if (field == json.end() || !field->is_string())
    return invalidInput(place, fmt::format("'{}' is missing or not a string", key));
  return field->get<std::string>();
}

Result<uint64_t> countIn(const DatasetJson &json, const char *key, const std::string &place) {
  const auto field = json.find(key);
  if (field == json.end() || !field->is_number_unsigned())
    return invalidInput(place, fmt::format("'{}' is missing or not an unsigned integer", key));
  return field->get<uint64_t>();
}

Result<std::map<std::string, uint64_t>> countsIn(const DatasetJson &json, const char *key,
                                                 const std::string &place) {
  const auto field = json.find(key);
  if (field == json.end() || !field->is_object())
    return invalidInput(place, fmt::format("'{}' is missing or not an object", key));
  std::map<std::string, uint64_t> counts;
  for (const auto &[name, value] : field->items()) {
    TILERIG_TRY(counts[name], countIn(*field, name.c_str(), place));
  }
  return counts;
}

Status checkFileType(const DatasetJson &json, std::string_view type, const std::string &place) {
  TILERIG_TRY(const std::string stated, textIn(json, "file_type", place));
  if (stated != type)
    return invalidInput(place, fmt::format("'file_type' is '{}', expected '{}'", stated, type));
  TILERIG_TRY(const uint64_t version, countIn(json, "evidence_version", place));
  if (version != static_cast<uint64_t>(evidenceVersion))
    return invalidInput(
        place,
        fmt::format("the evidence has version {}, but tilerig reads version {}", version, evidenceVersion),
        "make the dataset again with tilerig dataset");
  return success();
}

} // namespace tilerig::verify
