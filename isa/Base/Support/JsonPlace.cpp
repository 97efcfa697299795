#include "isa/Base/Support/JsonPlace.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

static constexpr size_t longestQuote = 40; // maximum length in bytes of a text that an error message quotes
static constexpr size_t longestPath = 160; // maximum length in bytes of a path in an error message

// The path of a JSON value with a key or index appended, such as layers[2].id. Long paths are cut, because a
// key may be as long as the file.
static std::string extended(std::string path, std::string_view part) {
  path += part.substr(0, longestPath + 1);
  if (path.size() > longestPath)
    path = path.substr(0, longestPath) + "...";
  return path;
}

JsonPlace JsonPlace::at(std::string_view key) const {
  const auto entry = value ? value->find(std::string(key)) : Json::const_iterator();
  return {value && entry != value->end() ? &*entry : nullptr, file,
          extended(path.empty() ? path : path + ".", key)};
}

JsonPlace JsonPlace::at(size_t index) const {
  return {&(*value)[index], file, extended(path, fmt::format("[{}]", index))};
}

JsonPlace JsonPlace::member(std::string_view key, const Json &entry) const {
  return {&entry, file, extended(path.empty() ? path : path + ".", key)};
}

Error JsonPlace::refuse(std::string description, std::string remedy) const {
  const Error error = invalidInput(path, std::move(description), std::move(remedy));
  return file.empty() ? error : error.within(file);
}

Error JsonPlace::expected(std::string_view wanted) const {
  return refuse(value ? fmt::format("must be {}, not {}", wanted, shown(*value)) : "the key is missing");
}

Status JsonPlace::expectObject() const {
  return value && value->is_object() ? success() : Status(expected("an object"));
}

Status JsonPlace::expectObject(std::initializer_list<std::string_view> known) const {
  TILERIG_CHECK_OK(expectObject());
  for (const auto &[key, entry] : value->items())
    if (std::ranges::find(known, key) == known.end())
      return member(key, entry).refuse("unknown key", suggestion(key, {known.begin(), known.size()}));
  return success();
}

Status JsonPlace::expectList() const {
  return value && value->is_array() ? success() : Status(expected("a list"));
}

Status JsonPlace::expectFileType(std::string_view type) const {
  TILERIG_CHECK_OK(expectObject());
  const JsonPlace stated = at("file_type");
  return stated && *stated.value == type ? success() : Status(stated.expected(inQuotes(type)));
}

Result<std::string> JsonPlace::text() const {
  if (!value || !value->is_string())
    return expected("a string");
  return value->get<std::string>();
}

Result<bool> JsonPlace::boolean() const {
  if (!value || !value->is_boolean())
    return expected("true or false");
  return value->get<bool>();
}

Result<double> JsonPlace::number(double least) const {
  if (value && value->is_number() && value->get<double>() >= least)
    return value->get<double>();
  return expected(least == std::numeric_limits<double>::lowest()
                      ? "a number"
                      : fmt::format("a number of at least {}", least));
}

Result<size_t> JsonPlace::indexIn(std::span<const std::string_view> words) const {
  if (!value)
    return refuse("the key is missing", "expected " + listed(words));
  TILERIG_TRY(const std::string word, text());
  const auto position = std::ranges::find(words, word);
  if (position == words.end())
    return refuse("unknown value " + inQuotes(word), suggestion(word, words));
  return static_cast<size_t>(position - words.begin());
}

std::string inQuotes(std::string_view text) {
  std::string quoted(text.substr(0, longestQuote));
  if (text.size() > longestQuote)
    quoted += "...";
  return Json(quoted).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string shown(const Json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  return value.is_string() ? inQuotes(value.get_ref<const std::string &>()) : value.dump();
}

} // namespace tilerig
