// Reads and prints machines as JSON, and computes the hash of a machine.

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Machine/BuiltIn.h"
#include "isa/Machine/FlatJson.h"
#include "isa/Machine/Machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace tilerig {
namespace {

using Kind = JsonEntry::Kind;

// All legal paths of a description: "name" and "base", the figures (numeric parameters), and the objects that
// contain figures.
std::set<std::string, std::less<>> knownPaths() {
  std::set<std::string, std::less<>> paths = {"name", "base"};
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
std::string suggestionFor(std::string_view unknown, const std::set<std::string, std::less<>> &known) {
  for (const std::string &path : known)
    if (lastName(path) == lastName(unknown))
      return fmt::format("did you mean '{}'?", path);
  std::vector<std::string_view> names(known.begin(), known.end());
  std::string_view nearest = nearestName(unknown, names);
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

Status refuseUnknown(const FlatJson &entries) {
  auto known = knownPaths();
  for (const auto &[path, entry] : entries)
    if (!known.contains(path))
      return invalidInput("", "the field " + inQuotes(path) + " is unknown", suggestionFor(path, known));
  return success();
}

Result<std::string> readName(const FlatJson &entries, std::string_view field) {
  auto match = entries.find(field);
  if (match == entries.end())
    return invalidInput(std::string(field), "is missing");
  if (match->second.kind != Kind::text)
    return invalidInput(std::string(field), match->second.text + " is not a name", "write it in quotes");
  return match->second.text;
}

// Checks that the parts of a description that enclose a figure (a numeric parameter) are JSON objects.
// Without this check, a part that is no object would be reported as a missing figure.
Status checkParts(const FlatJson &entries, const FigurePath &path) {
  for (const FigurePath *part = path.outer; part; part = part->outer)
    if (auto match = entries.find(part->text()); match != entries.end() && match->second.kind != Kind::object)
      return invalidInput(part->text(),
                          inQuotes(match->second.text) + " is given, but this must be an object of figures");
  return success();
}

template <class Member>
Status readFigure(const FlatJson &entries, const FigurePath &path, const auto &figure, bool hasBase,
                  Member &value) {
  TILERIG_CHECK_OK(checkParts(entries, path));
  std::string field = path.text();
  auto match = entries.find(field);
  if (match == entries.end() && hasBase)
    return success();
  std::string wanted = fmt::format("a whole number in {}..{}", figure.low, figure.high);
  if (match == entries.end())
    return invalidInput(field, "is missing", fmt::format("give {}: {}", wanted, figure.meaning));
  const JsonEntry &entry = match->second;
  if (entry.kind != Kind::number)
    return invalidInput(field,
                        (entry.kind == Kind::text ? inQuotes(entry.text) : entry.text) + " is not " + wanted);
  // Check the range before the value is narrowed to the member's type.
  if (entry.number < figure.low || entry.number > figure.high)
    return invalidInput(field, fmt::format("{} is outside {}..{}", entry.number, figure.low, figure.high));
  value = static_cast<Member>(entry.number);
  return success();
}

Status readFigures(const FlatJson &entries, bool hasBase, Machine &machine) {
  std::optional<Error> first;
  forEachFigure(machine, [&](const FigurePath &path, const auto &figure, auto &value) {
    if (first)
      return;
    if (Status status = readFigure(entries, path, figure, hasBase, value); !status)
      first = status.error();
  });
  if (first)
    return *std::move(first);
  return success();
}

std::string namesOfBuiltIns() { return fmt::format("{}", fmt::join(builtInMachines(), ", ")); }

// The built-in machine that the description names as its base.
Result<Machine> readBase(const FlatJson &entries) {
  TILERIG_TRY(std::string name, readName(entries, "base"));
  const BuiltInMachine *base = findBuiltIn(name);
  if (!base)
    return invalidInput("base", inQuotes(name) + " is not a built-in machine",
                        "use one of " + namesOfBuiltIns());
  return parseMachine(base->description, "built-in machine " + name);
}

Result<Machine> readMachine(std::string_view json) {
  TILERIG_TRY(FlatJson entries, readFlatJson(json));
  TILERIG_CHECK_OK(refuseUnknown(entries));
  TILERIG_TRY(std::string name, readName(entries, "name"));
  Machine machine;
  bool hasBase = entries.contains("base");
  if (hasBase) {
    TILERIG_TRY(machine, readBase(entries));
    if (findBuiltIn(name))
      return invalidInput("name", inQuotes(name) + " is the name of a built-in machine",
                          "choose another name for this machine");
  }
  machine.name = std::move(name);
  TILERIG_CHECK_OK(readFigures(entries, hasBase, machine));
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
  nlohmann::ordered_json json;
  json["name"] = machine.name;
  forEachFigure(machine, [&](const FigurePath &path, const auto &, const auto &value) {
    std::string pointer = "/" + path.text();
    std::ranges::replace(pointer, '.', '/');
    json[nlohmann::ordered_json::json_pointer(pointer)] = value;
  });
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
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
