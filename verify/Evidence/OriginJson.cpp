#include "verify/Evidence/OriginJson.h"

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

Json asJson(const Origin &origin, uint64_t digest) {
  Json json = {{"class", nameOf(origin.bugClass)}};
  for (const TextField &field : textFields)
    json[field.key] = origin.*field.member;
  json["tiles"] = origin.tiles;
  json["unit"] = origin.unit;
  json["digest"] = printDigest(digest);
  return json;
}

Result<OriginLine> originOf(const JsonPlace &object) {
  TILERIG_CHECK_OK(object.expectObject());
  OriginLine line;
  for (const TextField &field : textFields) {
    TILERIG_TRY(line.origin.*field.member, object.at(field.key).text());
  }
  TILERIG_TRY(const size_t bugClass, object.at("class").indexIn(EnumNames<BugClass>::values));
  line.origin.bugClass = static_cast<BugClass>(bugClass);
  TILERIG_TRY(line.origin.tiles, object.at("tiles").wholeNumber<unsigned>());
  TILERIG_TRY(line.origin.unit, object.at("unit").wholeNumber<uint64_t>());
  TILERIG_TRY(line.digest, parseDigest(object.at("digest")));
  return line;
}

std::string printDigest(uint64_t digest) { return fmt::format("{:016x}", digest); }

Result<uint64_t> parseDigest(const JsonPlace &text) {
  TILERIG_TRY(const std::string digits, text.text());
  uint64_t digest = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size())
    return text.refuse("a digest must be a string of sixteen hexadecimal digits");
  return digest;
}

Result<std::map<std::string, uint64_t>> countsIn(const JsonPlace &object) {
  TILERIG_CHECK_OK(object.expectObject());
  std::map<std::string, uint64_t> counts;
  for (const auto &[name, value] : object.value->items()) {
    TILERIG_TRY(counts[name], object.member(name, value).wholeNumber<uint64_t>());
  }
  return counts;
}

Status checkFileType(const JsonPlace &file, std::string_view type) {
  TILERIG_CHECK_OK(file.expectFileType(type));
  TILERIG_TRY(const auto version, file.at("evidence_version").wholeNumber<uint64_t>());
  if (version != static_cast<uint64_t>(evidenceVersion))
    return file.refuse(
        fmt::format("the evidence has version {}, but tilerig reads version {}", version, evidenceVersion),
        "make the dataset again with tilerig dataset");
  return success();
}

} // namespace tilerig::verify
