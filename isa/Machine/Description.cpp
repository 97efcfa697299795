// Reads and prints machines as JSON, and computes the hash of a machine.

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Machine/BuiltIn.h"
#include "isa/Machine/Machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace tilerig {
namespace {

constexpr JsonLimits limits = {.longest = 64 << 10, .deepest = 8};
using PathSet = std::set<std::string, std::less<>>;

// All legal paths of a description: "name" and "base", the figures (numeric parameters), and the objects that
// contain figures.
PathSet knownPaths() {
  PathSet paths = {"name", "base"};
  Machine any;
  forEachFigure(any, [&](const FigurePath &path, const auto &, const auto &) {
    for (const FigurePath *at = &path; at; at = at->outer)
      paths.insert(at->text());
  });
  return paths;
}

std::string_view lastName(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// A suggestion for an unknown field, given by its path, such as pod.int8.k: a known field with the same last
// name, or one whose path is similarly spelled.
std::string suggestionFor(std::string_view unknown, const PathSet &known) {
  for (const std::string &path : known)
    if (lastName(path) == lastName(unknown))
      return fmt::format("did you mean '{}'?", path);
  std::vector<std::string_view> names(known.begin(), known.end());
  std::string_view nearest = nearestName(unknown, names);
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

// Refuses fields that no machine has. A name that contains a dot is always refused: it could be mistaken for
// the path of a nested field, such as "pod.int8".
Status refuseUnknown(const JsonPlace &object, const PathSet &known) {
  for (const auto &[name, value] : object.value->items()) {
    const JsonPlace field = object.member(name, value);
    const bool hasDot = name.find('.') != name.npos;
    if (hasDot || !known.contains(field.path))
      return invalidInput("", "the field " + inQuotes(field.path) + " is unknown",
                          hasDot ? "the name of a field contains no dots; write nested objects instead"
                                 : suggestionFor(field.path, known));
    if (value.is_object())
      TILERIG_CHECK_OK(refuseUnknown(field, known));
  }
  return success();
}

// The value of a machine description's JSON field at a path such as pod.int8.k; missing if an enclosing
// object is missing. Refuses an enclosing value that is no object.
Result<JsonPlace> fieldAt(const JsonPlace &file, const FigurePath &path) {
  if (!path.outer)
    return file.at(path.name);
  TILERIG_TRY(const JsonPlace object, fieldAt(file, *path.outer));
  if (object)
    TILERIG_CHECK_OK(object.expectObject());
  return object.at(path.name);
}

template <class Member>
Status readFigure(const JsonPlace &file, const FigurePath &path, const auto &figure, bool hasBase,
                  Member &value) {
  TILERIG_TRY(const JsonPlace field, fieldAt(file, path));
  if (!field && hasBase)
    return success();
  if (!field)
    return field.refuse("the key is missing", fmt::format("give a whole number from {} to {}: {}", figure.low,
                                                          figure.high, figure.meaning));
  // The range is checked before the number is narrowed to the type of the machine's parameter.
  TILERIG_TRY(const uint64_t number, field.wholeNumber(figure.low, figure.high));
  value = static_cast<Member>(number);
  return success();
}

Status readFigures(const JsonPlace &file, bool hasBase, Machine &machine) {
  std::optional<Error> first;
  forEachFigure(machine, [&](const FigurePath &path, const auto &figure, auto &value) {
    if (first)
      return;
    if (Status status = readFigure(file, path, figure, hasBase, value); !status)
      first = status.error();
  });
  if (first)
    return *std::move(first);
  return success();
}

std::string namesOfBuiltIns() { return fmt::format("{}", fmt::join(builtInMachines(), ", ")); }

// The built-in machine that the description names as its base.
Result<Machine> readBase(const JsonPlace &file) {
  TILERIG_TRY(const std::string name, file.at("base").text());
  const BuiltInMachine *base = findBuiltIn(name);
  if (!base)
    return invalidInput("base", inQuotes(name) + " is not a built-in machine",
                        "use one of " + namesOfBuiltIns());
  return parseMachine(base->description, "built-in machine " + name);
}

Result<Machine> readMachine(std::string_view text) {
  TILERIG_TRY(const Json json, parseStrictJson(text, "", limits));
  const JsonPlace file{&json, ""};
  TILERIG_CHECK_OK(file.expectObject());
  TILERIG_CHECK_OK(refuseUnknown(file, knownPaths()));
  TILERIG_TRY(std::string name, file.at("name").text());
  Machine machine;
  const bool hasBase = bool(file.at("base"));
  if (hasBase) {
    TILERIG_TRY(machine, readBase(file));
    if (findBuiltIn(name))
      return invalidInput("name", inQuotes(name) + " is the name of a built-in machine",
                          "choose another name for this machine");
  }
  machine.name = std::move(name);
  TILERIG_CHECK_OK(readFigures(file, hasBase, machine));
  TILERIG_CHECK_OK(verifyMachine(machine, ""));
  return machine;
}

} // namespace

std::vector<std::string> builtInMachines() {
  std::vector<std::string> names;
  for (const BuiltInMachine &machine : builtInDescriptions())
    names.emplace_back(machine.name);
  return names;
}

Result<Machine> parseMachine(std::string_view json, const std::string &place) {
  auto machine = readMachine(json);
  if (!machine)
    return machine.error().within(place);
  return machine;
}

Result<Machine> loadMachine(const std::string &nameOrPath) {
  if (const BuiltInMachine *builtIn = findBuiltIn(nameOrPath))
    return parseMachine(builtIn->description, "built-in machine " + nameOrPath);
  if (nameOrPath.find('/') == nameOrPath.npos && !nameOrPath.ends_with(".json"))
    return usageError("", "there is no machine " + inQuotes(nameOrPath),
                      "use one of " + namesOfBuiltIns() + ", or a file whose name ends in .json");
  TILERIG_TRY(MappedFile file, MappedFile::open(nameOrPath));
  auto bytes = file.bytes();
  return parseMachine({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, nameOrPath);
}

std::string printMachine(const Machine &machine) {
  Json json;
  json["name"] = machine.name;
  forEachFigure(machine, [&](const FigurePath &path, const auto &, const auto &value) {
    std::string pointer = "/" + path.text();
    std::ranges::replace(pointer, '.', '/');
    json[Json::json_pointer(pointer)] = value;
  });
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

// Hashes the names and values of the figures (numeric parameters), not the printed text, whose layout may
// change.
uint64_t hashMachine(const Machine &machine) {
  std::string figures = "name=" + machine.name + "\n";
  forEachFigure(machine, [&](const FigurePath &path, const auto &, const auto &value) {
    figures += fmt::format("{}={}\n", path.text(), value);
  });
  return hashText(figures);
}

} // namespace tilerig
