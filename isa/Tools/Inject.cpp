// `tilerig inject`: lists all bugs that can be injected, and injects those of the stage `binary`, which arise
// in finished programs, into a program file.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Json.h"
#include "isa/Bugs/Binary.h"
#include "isa/Bugs/Catalogue.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <optional>

namespace tilerig {
namespace {

struct InjectOptions {
  bool list = false, json = false;
  std::string program, output, bug;
  uint64_t seed = 0;
};

std::vector<std::string> asStrings(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

std::string rangeOf(const BugParameter &parameter) {
  return parameter.isWord() ? fmt::format("{}", fmt::join(parameter.words, "|"))
                            : fmt::format("{}..{}", parameter.low, parameter.high);
}

Json asJson(const BugParameter &parameter) {
  Json json = {{"name", parameter.name}, {"meaning", parameter.meaning}};
  if (parameter.isWord())
    json["words"] = asStrings(parameter.words);
  else
    json.update({{"low", parameter.low}, {"high", parameter.high}});
  return json;
}

Json asJson(const Bug &bug) {
  Json parameters = Json::array();
  for (const BugParameter &parameter : bug.parameters)
    parameters.push_back(asJson(parameter));
  return {{"id", bug.id},
          {"class", nameOf(bug.bugClass)},
          {"stage", nameOf(bug.stage)},
          {"site", bug.site},
          {"imitates", bug.imitates},
          {"layers", asStrings(bug.layers)},
          {"precisions", asStrings(precisionsOf(bug.types))},
          {"parameters", std::move(parameters)}};
}

std::string listingAsJson() {
  Json all = Json::array();
  for (const Bug &bug : bugCatalogue())
    all.push_back(asJson(bug));
  return all.dump(2) + "\n";
}

// The site of a bug (the part of compiler, program or machine that is wrong), and the layers and precisions
// to which the bug applies.
std::string siteOf(const Bug &bug) {
  std::string text = fmt::format("site: {} ({})", bug.site, nameOf(bug.stage));
  if (!bug.layers.empty())
    text += fmt::format("; layers: {}", fmt::join(bug.layers, " "));
  if (bug.types != BugTypes::all)
    text += fmt::format("; precisions: {}", fmt::join(precisionsOf(bug.types), " "));
  return text;
}

// Listing of one bug: the description, then its site and where the bug applies, then one line for each
// parameter.
std::string entryOf(const Bug &bug) {
  constexpr int idWidth = 24, indent = idWidth + 2;
  std::string text = fmt::format("  {:<{}}{}\n", bug.id, idWidth, bug.imitates);
  if (bug.stage == BugStage::none)
    return text;
  text += fmt::format("{:{}}{}\n", "", indent, siteOf(bug));
  for (const BugParameter &parameter : bug.parameters)
    text +=
        fmt::format("{:{}}{}={}  {}\n", "", indent, parameter.name, rangeOf(parameter), parameter.meaning);
  return text;
}

// The list of all bugs that can be injected, grouped by bug class.
std::string listing() {
  std::string text;
  std::optional<BugClass> heading;
  for (const Bug &bug : bugCatalogue()) {
    if (heading != bug.bugClass)
      text += fmt::format("{}{}:\n", heading ? "\n" : "", nameOf(bug.bugClass));
    heading = bug.bugClass;
    text += entryOf(bug);
  }
  return text;
}

Result<ExitCode> injectIntoFile(const InjectOptions &options) {
  TILERIG_TRY(const BugChoice choice, parseBugChoice(options.bug));
  TILERIG_TRY(Program program, readProgram(options.program));
  auto injected = injectIntoProgram(choice, options.seed, program);
  if (!injected)
    return injected.error().within(options.program);
  TILERIG_CHECK_OK(writeProgram(program, options.output));
  const std::string text = printBugChoice(injected->choice);
  if (options.json)
    std::cout << Json{{"injected", text},
                      {"class", nameOf(injected->choice.bug->bugClass)},
                      {"layer", injected->layerName},
                      {"seed", options.seed}}
                     .dump(2)
              << "\n";
  else
    std::cout << text << "\n";
  return ExitCode::done;
}

Result<ExitCode> inject(const InjectOptions &options) {
  if (options.list) {
    std::cout << (options.json ? listingAsJson() : listing());
    return ExitCode::done;
  }
  for (const auto &[name, value] :
       {std::pair{"PROGRAM", &options.program}, {"--output", &options.output}, {"--bug", &options.bug}})
    if (value->empty())
      return usageError(name, "is missing", "give a program, --output and --bug, or --list");
  return injectIntoFile(options);
}

} // namespace
} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("inject"), "tilerig inject --list\n"
                                      "tilerig inject model.trb --bug wait-deleted@conv1 -o mutant.trb");
  InjectOptions options;
  line.options().addFlag("--list", options.list, "list the bugs with their sites and parameters");
  line.options().addOption("PROGRAM", options.program, "program (.trb) to inject a bug into");
  line.options().addOption("-o,--output", options.output, "file for the program with the bug (.trb)");
  line.options().addOption(
      "--bug", options.bug,
      "bug to inject, written as ID[:name=value,...][@layer]; --list must show it with site 'binary'");
  line.options().addOption("--seed", options.seed, bugSeedHelp).showDefault();
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    options.json = line.json();
    for (const char *option : {"PROGRAM", "--output", "--bug", "--seed"})
      TILERIG_CHECK_OK(
          refuseIdle(line.options(),
                     {{option, options.list, "this option has no effect with --list, which injects no bug",
                       "remove --list, or the option that has no effect with it"}}));
    return inject(options);
  });
}
