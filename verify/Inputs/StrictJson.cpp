#include "verify/Inputs/StrictJson.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace tilerig::verify {

namespace {

constexpr size_t mostBytes = 16 << 20;
constexpr int deepest = 16;

// Line and column of a position in a text, both counted from 1, in words.
std::string lineAndColumn(const std::string &text, size_t position) {
  const size_t at = std::min(position ? position - 1 : 0, text.size());
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  const size_t lineStart = text.rfind('\n', at ? at - 1 : 0);
  const size_t column = at - (lineStart == std::string::npos || lineStart >= at ? 0 : lineStart + 1);
  return fmt::format("{}:{}", std::count(text.begin(), end, '\n') + 1, column + 1);
}

// Callback for the JSON parser that finds problems which the parser itself accepts, such as duplicate keys.
class Watch {
public:
  std::string problem;

  bool operator()(int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      note(fmt::format("the key '{}' is given twice", parsed.get<std::string>()));
    if (depth > deepest)
      note("the JSON text is nested too deeply");
    return true;
  }

private:
  void note(std::string message) {
    if (problem.empty())
      problem = std::move(message);
  }
  std::vector<std::set<std::string>> keys;
};

// Whether brackets are nested so deeply that the recursive parser might overflow the stack. Brackets in
// strings do not count.
bool isTooDeep(const std::string &text) {
  int depth = 0;
  bool inText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inText && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inText = !inText;
    else if (!inText && (text[i] == '{' || text[i] == '['))
      ++depth;
    else if (!inText && (text[i] == '}' || text[i] == ']'))
      --depth;
    if (depth > deepest)
      return true;
  }
  return false;
}

} // namespace

Result<Json> parseStrictJson(const std::string &text, const std::string &place) {
  if (text.size() > mostBytes)
    return invalidInput(
        place, fmt::format("the JSON text has {} bytes, but at most {} are allowed", text.size(), mostBytes));
  if (isTooDeep(text))
    return invalidInput(place, "the JSON text is nested too deeply");
  Watch watch;
  try {
    Json json = Json::parse(text, std::ref(watch));
    if (!watch.problem.empty())
      return invalidInput(place, watch.problem);
    return json;
  } catch (const Json::parse_error &wrong) {
    return invalidInput(place + ":" + lineAndColumn(text, wrong.byte),
                        "the text is not valid JSON from this position on");
  } catch (const Json::exception &wrong) { // for example a number out of range
    return invalidInput(place, wrong.what());
  }
}

Result<Json> readStrictJson(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseStrictJson(text, path);
}

Error JsonPlace::refuse(std::string description, std::string remedy) const {
  return invalidInput(place, std::move(description), std::move(remedy));
}

Status JsonPlace::expectObject() const {
  return value.is_object() ? success() : Status(refuse("expected a JSON object"));
}

Status JsonPlace::expectObject(std::span<const std::string_view> known) const {
  TILERIG_CHECK_OK(expectObject());
  for (const auto &[key, entry] : value.items())
    if (std::ranges::find(known, key) == known.end())
      return invalidInput(place + "." + key, "unknown key", suggestion(key, known));
  return success();
}

Status JsonPlace::expectArray() const {
  return value.is_array() ? success() : Status(refuse("expected a list"));
}

Result<std::string> JsonPlace::text() const {
  if (!value.is_string())
    return refuse("expected a string");
  return value.get<std::string>();
}

} // namespace tilerig::verify
