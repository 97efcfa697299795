#include "isa/Base/Support/StrictJson.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Utf8.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace tilerig {

namespace {

// A JSON text, and how error messages refer to it.
struct Source {
  std::string_view text;
  const std::string &file;
  size_t line; // line of the file, if each line has a JSON value; 0 if `text` is a whole file

  std::string place() const { return line ? fmt::format("{}:{}", file, line) : file; }

  // The place of the byte at `offset`, for error messages.
  std::string placeOf(size_t offset) const {
    if (line)
      return fmt::format("{}:{}:{}", file, line, offset + 1);
    const std::string_view before = text.substr(0, offset);
    const auto row = std::ranges::count(before, '\n') + 1;
    // In the first line rfind gives npos, and npos + 1 is 0.
    const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return file.empty() ? fmt::format("line {}, column {}", row, column)
                        : fmt::format("{}:{}:{}", file, row, column);
  }

  // The offset at which the number or word with the byte at `offset` begins.
  size_t beginOfWord(size_t offset) const {
    const auto isPart = [](unsigned char letter) {
      return std::isalnum(letter) || letter == '.' || letter == '-';
    };
    while (offset > 0 && isPart(text[offset - 1]))
      --offset;
    return offset;
  }
};

// Builds the tree of JSON values from the events of the parser, which uses no recursion. A handler that
// returns false stops the parser and leaves the reason in `error`.
class TreeBuilder final : public nlohmann::json_sax<Json> {
public:
  TreeBuilder(const Source &source, JsonLimits limits) : source(source), limits(limits) {}

  Json tree;
  Error error;

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override { return add(value); }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return refuse(internalError(source.file, "JSON has no binary data")); }
  bool start_object(size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    if (!levels.back().keys.insert(name).second)
      return refuse(placeOfLast(levels.size() - 1).at(name).refuse("the key is given twice"));
    nextKey = std::move(name);
    return true;
  }

  bool parse_error(size_t bytesRead, const std::string &token, const Json::exception &problem) override {
    const size_t offset = bytesRead ? bytesRead - 1 : 0;
    if (const size_t valid = validUtf8(source.text); valid <= offset && valid < source.text.size())
      return refuseAt(valid, "the text is not valid UTF-8");
    if (offset >= source.text.size())
      return refuseAt(source.text.size(), "the JSON text ends too early");
    const size_t begin = source.beginOfWord(offset);
    constexpr int outOfRange = 406; // nlohmann's error number for a number out of range
    if (problem.id == outOfRange)
      return refuseAt(begin, fmt::format("the number {} is out of range", token));
    const std::string_view rest = source.text.substr(begin);
    return refuseAt(begin, "the JSON text is invalid at " + inQuotes(rest.substr(0, rest.find('\n'))));
  }

  bool refuseAt(size_t offset, std::string reason) {
    return refuse(invalidInput(source.placeOf(offset), std::move(reason)));
  }

private:
  // A JSON object or list that is not closed yet.
  struct Level {
    Json *value;
    std::set<std::string> keys; // keys of an object that have been read so far
  };

  bool refuse(Error reason) {
    error = std::move(reason);
    return false;
  }

  // Appends a value to the innermost JSON object or list that is still open. An object is a vector of
  // members: appending to it directly avoids its search for the key, which would make the time quadratic in
  // the number of keys.
  bool add(Json value) {
    if (levels.empty())
      tree = std::move(value);
    else if (Json &parent = *levels.back().value; parent.is_array())
      parent.push_back(std::move(value));
    else
      parent.get_ref<Json::object_t &>().emplace_back(std::move(nextKey), std::move(value));
    return true;
  }

  // The JSON value that was added last to the tree at the given depth of nesting.
  Json &lastAt(size_t depth) {
    if (depth == 0)
      return tree;
    Json &parent = *levels[depth - 1].value;
    return parent.is_array() ? parent.back() : parent.get_ref<Json::object_t &>().back().second;
  }

  bool open(Json value) {
    add(std::move(value));
    if (levels.size() == limits.deepest)
      return refuse(placeOfLast(levels.size())
                        .refuse(fmt::format("the value is nested more than {} levels deep", limits.deepest)));
    levels.push_back({&lastAt(levels.size()), {}});
    return true;
  }

  bool close() {
    levels.pop_back();
    return true;
  }

  JsonPlace placeOfLast(size_t depth) {
    JsonPlace place{&tree, source.place()};
    for (size_t i = 0; i < depth; ++i) {
      Json &parent = *levels[i].value;
      place = parent.is_array()
                  ? place.at(parent.size() - 1)
                  : place.member(parent.get_ref<Json::object_t &>().back().first, lastAt(i + 1));
    }
    return place;
  }

  const Source &source;
  JsonLimits limits;
  std::vector<Level> levels;
  std::string nextKey;
};

Result<Json> parse(const Source &source, JsonLimits limits) {
  const std::string_view text = source.text;
  if (text.size() > limits.longest)
    return invalidInput(source.place(), fmt::format("the JSON text has {} bytes, but at most {} are allowed",
                                                    text.size(), limits.longest));
  TreeBuilder builder(source, limits);
  if (!Json::sax_parse(text.begin(), text.end(), &builder))
    return std::move(builder.error);
  // The parser takes a zero byte for the end of the text and would ignore what follows it, so a zero byte is
  // refused.
  if (const size_t zero = text.find('\0'); zero != text.npos) {
    builder.refuseAt(zero, "the JSON text has a zero byte");
    return std::move(builder.error);
  }
  return std::move(builder.tree);
}

} // namespace

Result<Json> parseStrictJson(std::string_view text, const std::string &place, JsonLimits limits) {
  return parse({text, place, 0}, limits);
}

Result<Json> parseJsonLine(std::string_view text, const std::string &path, size_t line) {
  return parse({text, path, line}, {});
}

Result<Json> readStrictJson(const std::string &path, JsonLimits limits) {
  TILERIG_TRY(const MappedFile file, MappedFile::open(path));
  return parseStrictJson({reinterpret_cast<const char *>(file.bytes().data()), file.bytes().size()}, path,
                         limits);
}

} // namespace tilerig
