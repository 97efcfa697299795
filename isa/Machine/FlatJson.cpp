#include "isa/Machine/FlatJson.h"

#include "isa/Base/Support/Json.h"

#include <fmt/format.h>
#include <optional>
#include <vector>

namespace tilerig {

using nlohmann::json;

static constexpr size_t longestDescription = 64 << 10;
static constexpr size_t deepestNesting = 8;
static constexpr size_t longestQuote = 40;

std::string inQuotes(std::string_view text) {
  bool cut = text.size() > longestQuote;
  std::string shown(text.substr(0, longestQuote));
  if (cut)
    shown += "...";
  return json(shown).dump(-1, ' ', true, json::error_handler_t::replace);
}

static std::string placeOf(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  size_t line = 1, lineStart = 0;
  for (size_t i = 0; i < offset; ++i)
    if (text[i] == '\n') {
      ++line;
      lineStart = i + 1;
    }
  return fmt::format("line {}, column {}", line, offset - lineStart);
}

namespace {

// Receives the parser's events. A handler that returns false ends the parse; `error` then says why.
class Flattener : public json::json_sax_t {
public:
  explicit Flattener(std::string_view source) : source(source) {}

  FlatJson entries;
  std::optional<Error> error;

  bool null() override { return add({.text = "null"}); }
  bool boolean(bool value) override { return add({.text = value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) override { return add({.text = std::to_string(value)}); }
  bool number_unsigned(number_unsigned_t value) override {
    return add({JsonEntry::Kind::number, value, std::to_string(value)});
  }
  bool number_float(number_float_t, const string_t &text) override {
    return add({.text = text.size() > longestQuote ? text.substr(0, longestQuote) + "..." : text});
  }
  bool string(string_t &text) override { return add({JsonEntry::Kind::text, 0, std::move(text)}); }
  bool binary(binary_t &) override { return add({.text = "binary data"}); }

  bool start_object(size_t) override {
    if (prefixLengths.size() == deepestNesting)
      return refuse(path, "is nested too deeply");
    if (!prefixLengths.empty() && !add({JsonEntry::Kind::object, 0, "an object"}))
      return false;
    prefixLengths.push_back(path.size());
    return true;
  }
  bool key(string_t &key) override {
    path.resize(prefixLengths.back());
    // A key with a dot could have the same path as a nested key.
    if (key.empty() || key.find('.') != key.npos)
      return refuse(path, "has the unknown field " + inQuotes(key));
    if (!path.empty())
      path += '.';
    path += key;
    return true;
  }
  bool end_object() override {
    path.resize(prefixLengths.back());
    prefixLengths.pop_back();
    return true;
  }
  bool start_array(size_t) override {
    return refuse(path, "is a list, but a machine description has no lists");
  }
  bool end_array() override { return true; }

  bool parse_error(size_t offset, const std::string &token, const json::exception &) override {
    return refuse(placeOf(source, offset), token.empty()
                                               ? "the JSON ends too early or has a character out of place"
                                               : "is not valid JSON at " + inQuotes(token));
  }

private:
  bool add(JsonEntry entry) {
    if (prefixLengths.empty())
      return refuse("", "is not a JSON object but " + inQuotes(entry.text));
    if (!entries.emplace(path, std::move(entry)).second)
      return refuse(path, "is given twice");
    return true;
  }
  bool refuse(std::string place, std::string description) {
    error = invalidInput(place.size() > 2 * longestQuote ? inQuotes(place) : std::move(place),
                         std::move(description));
    return false;
  }

  std::string_view source;
  std::string path;                  // path of the next value
  std::vector<size_t> prefixLengths; // for every open object: length of its own prefix in `path`
};

} // namespace

Result<FlatJson> readFlatJson(std::string_view text) {
  if (text.size() > longestDescription)
    return invalidInput(
        "", fmt::format("is {} bytes long; at most {} are allowed", text.size(), longestDescription));
  Flattener flattener(text);
  if (json::sax_parse(text.begin(), text.end(), &flattener))
    return std::move(flattener.entries);
  if (flattener.error)
    return *std::move(flattener.error);
  return internalError("", "the JSON parser refused a machine description without a reason");
}

} // namespace tilerig
