#include "compiler/Precision/JsonText.h"

#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace tilerig::compiler {

static constexpr size_t deepestNesting = 16;

static std::string placeOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t lineStart = before.rfind('\n') + 1; // 0 if there is none: npos + 1 is 0
  return fmt::format("line {}, column {}", line, before.size() - lineStart);
}

namespace {

// Listens to the parser's events to detect what the parsed tree would hide, such as duplicate keys. A handler
// that returns false stops the parser and leaves the reason in `error`.
class Checker : public nlohmann::json_sax<Json> {
public:
  explicit Checker(std::string_view source) : source(source) {}

  Error error;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    return keys.back().insert(name).second || refuse(inQuotes(name), "the key is given twice");
  }
  bool parse_error(size_t offset, const std::string &token, const nlohmann::json::exception &) override {
    const bool atEnd = offset >= source.size();
    return refuse(placeOf(source, offset), atEnd || token.empty()
                                               ? "the JSON text ends too early or has an invalid character"
                                               : "the JSON text is invalid at " + inQuotes(token));
  }

private:
  bool enter() {
    keys.emplace_back();
    return keys.size() <= deepestNesting ||
           refuse("", fmt::format("the JSON text is nested more than {} levels deep", deepestNesting));
  }
  bool leave() {
    keys.pop_back();
    return true;
  }
  bool refuse(std::string place, std::string reason) {
    error = invalidInput(std::move(place), std::move(reason));
    return false;
  }

  std::string_view source;
  std::vector<std::set<std::string>> keys; // keys so far of each object that is still open
};

} // namespace

Result<Json> parseJsonObject(std::string_view text) {
  Checker checker(text);
  if (!Json::sax_parse(text.begin(), text.end(), &checker))
    return checker.error;
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalidInput("", "is not a JSON object but " + shown(json));
  return json;
}

std::string keyPlace(std::string_view place, std::string_view key) {
  return place.empty() ? std::string(key) : fmt::format("{}.{}", place, key);
}

std::string shown(const Json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  if (value.is_string())
    return inQuotes(value.get_ref<const std::string &>());
  return value.dump();
}

Status checkKeys(const Json &object, std::string_view place, std::span<const std::string_view> known) {
  for (const auto &[key, value] : object.items())
    if (std::ranges::find(known, key) == known.end())
      return invalidInput(std::string(place), "has the unknown field " + inQuotes(key),
                          suggestion(key, known));
  return success();
}

Result<const std::string *> findText(const Json &object, std::string_view place, std::string_view key) {
  const auto field = object.find(std::string(key));
  if (field == object.end())
    return static_cast<const std::string *>(nullptr);
  if (!field->is_string())
    return invalidInput(keyPlace(place, key), "must be a string, not " + shown(*field));
  return field->get_ptr<const std::string *>();
}

} // namespace tilerig::compiler
