#include "isa/Bugs/Choice.h"

#include "isa/Base/Support/Nearest.h"
#include "isa/Bugs/Catalogue.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tilerig {

namespace {

std::vector<std::string_view> idsOfBugs() {
  std::vector<std::string_view> ids;
  for (const Bug &bug : bugCatalogue())
    ids.push_back(bug.id);
  return ids;
}

std::vector<std::string_view> namesOfParameters(const Bug &bug) {
  std::vector<std::string_view> names;
  for (const BugParameter &parameter : bug.parameters)
    names.push_back(parameter.name);
  return names;
}

Result<int64_t> valueOf(const BugParameter &parameter, const std::string &text, const std::string &place) {
  if (parameter.isWord()) {
    const auto word = std::ranges::find(parameter.words, text);
    if (word == parameter.words.end())
      return usageError(place, fmt::format("'{}' is not a value of this parameter", text),
                        suggestion(text, parameter.words));
    return word - parameter.words.begin();
  }
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return usageError(place, fmt::format("'{}' is not a whole number", text));
  if (value < parameter.low || value > parameter.high)
    return usageError(place, fmt::format("{} is outside {}..{}", value, parameter.low, parameter.high));
  return value;
}

Status readParameter(const std::string &text, BugChoice &choice) {
  const Bug &bug = *choice.bug;
  const size_t equals = text.find('=');
  if (equals == text.npos)
    return usageError(std::string(bug.id), fmt::format("'{}' is not of the form NAME=VALUE", text));
  const std::string name = text.substr(0, equals);
  const auto parameter = std::ranges::find(bug.parameters, name, &BugParameter::name);
  if (parameter == bug.parameters.end())
    return usageError(std::string(bug.id), fmt::format("the bug has no parameter '{}'", name),
                      bug.parameters.empty() ? "the bug has no parameters"
                                             : suggestion(name, namesOfParameters(bug)));
  TILERIG_TRY(const int64_t value,
              valueOf(*parameter, text.substr(equals + 1), fmt::format("{}:{}", bug.id, name)));
  if (!choice.values.emplace(name, value).second)
    return usageError(fmt::format("{}:{}", bug.id, name), "is given twice");
  return success();
}

} // namespace

Result<BugChoice> parseBugChoice(const std::string &text) {
  const size_t at = text.find('@'), colon = std::min(text.find(':'), at);
  const std::string id = text.substr(0, std::min(colon, at));
  BugChoice choice{.bug = findBug(id)};
  if (!choice.bug)
    return usageError(text, fmt::format("there is no bug '{}'", id),
                      fmt::format("{} (tilerig inject --list shows all bugs)", suggestion(id, idsOfBugs())));
  if (at != text.npos) {
    choice.layer = text.substr(at + 1);
    if (choice.layer.empty())
      return usageError(text, "the name of the layer after '@' is missing");
  }
  if (colon == at || colon == text.npos)
    return choice;
  const std::string parameters = text.substr(colon + 1, at == text.npos ? at : at - colon - 1);
  for (size_t begin = 0; begin <= parameters.size();) {
    const size_t end = std::min(parameters.find(',', begin), parameters.size());
    TILERIG_CHECK_OK(readParameter(parameters.substr(begin, end - begin), choice));
    begin = end + 1;
  }
  return choice;
}

std::string printBugValue(const BugParameter &parameter, int64_t value) {
  return parameter.isWord() ? std::string(parameter.words[static_cast<size_t>(value)])
                            : std::to_string(value);
}

std::string printBugChoice(const BugChoice &choice) {
  std::string text(choice.bug->id);
  char separator = ':';
  for (const BugParameter &parameter : choice.bug->parameters)
    if (const auto chosen = choice.values.find(parameter.name); chosen != choice.values.end()) {
      text += fmt::format("{}{}={}", separator, parameter.name, printBugValue(parameter, chosen->second));
      separator = ',';
    }
  return choice.layer.empty() ? text : text + "@" + choice.layer;
}

} // namespace tilerig
