// `tilerig dataset`: makes labelled training data for the classifier by injecting bugs into networks.
#include "classifier/Samples/Blocks.h"
#include "classifier/Samples/MakeDataset.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Bugs/Catalogue.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <thread>

namespace tilerig::verify {
namespace {

struct DatasetArguments {
  DatasetOptions options;
  std::vector<std::string> families, withoutFamilies, models, bugs, withoutBugs, classes, merged;
  std::deque<Family> ofModels; // the families of --models
};

template <class Names>
Error unknownName(const char *option, const std::string &name, const Names &names) {
  const std::string_view nearest = nearestName(name, names);
  return usageError(option, fmt::format("unknown name '{}'", name),
                    nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
}

// Whether a name given to --families selects the network family: its own, or that of its group.
bool isCalled(const Family &family, const std::string &name) {
  return family.name == name || nameOf(family.group) == name;
}

// Refuses --without-families or --without-bugs if it excludes a family or bug that is not selected anyway.
template <class IsChosen>
Status checkLeftOut(const char *option, const std::vector<std::string> &names, const IsChosen &isChosen) {
  for (const std::string &name : names)
    if (!isChosen(name))
      return usageError(option, fmt::format("'{}' cannot be excluded, because it is not selected", name),
                        "remove this name from the option, or select it as well");
  return success();
}

// The family of the blocks of a model: FILE or FILE:ARCHITECTURE.
Result<Family> familyOfFile(const std::string &text) {
  constexpr unsigned weight = 3;
  std::string file = text, architecture;
  if (const size_t colon = text.rfind(':'); colon != text.npos && !std::filesystem::exists(text)) {
    file = text.substr(0, colon);
    architecture = text.substr(colon + 1);
  }
  if (!std::filesystem::is_regular_file(file))
    return usageError("--models " + text, "there is no such file",
                      "give FILE.onnx or FILE.onnx:ARCHITECTURE");
  Family family = blocksOf(std::filesystem::path(file).stem().string(), architecture, weight,
                           [file](reference::Threads &) { return SourceModel::read(file); });
  reference::Threads threads(1);
  const auto first = family.draw(0, threads); // reads and runs the model, so that its errors come early
  if (!first)
    return first.error().within("--models " + text);
  family.group = FamilyGroup::files;
  family.file = file;
  return family;
}

Status chooseFamilies(DatasetArguments &arguments) {
  std::vector<std::string_view> known = {nameOf(FamilyGroup::small), nameOf(FamilyGroup::blocks),
                                         nameOf(FamilyGroup::zoo)};
  for (const Family &family : families())
    known.push_back(family.name);
  for (const auto &[option, names] :
       {std::pair{"--families", &arguments.families}, {"--without-families", &arguments.withoutFamilies}})
    for (const std::string &name : *names)
      if (std::ranges::find(known, name) == known.end())
        return unknownName(option, name, known);
  auto isIn = [](const std::vector<std::string> &names, const Family &family) {
    return std::ranges::any_of(names, [&](const std::string &name) { return isCalled(family, name); });
  };
  if (arguments.families.empty() && arguments.models.empty())
    arguments.families = {std::string(nameOf(FamilyGroup::small))};
  TILERIG_CHECK_OK(
      checkLeftOut("--without-families", arguments.withoutFamilies, [&](const std::string &name) {
        return std::ranges::any_of(families(), [&](const Family &family) {
          return isCalled(family, name) && isIn(arguments.families, family);
        });
      }));
  for (const Family &family : families())
    if (isIn(arguments.families, family) && !isIn(arguments.withoutFamilies, family))
      arguments.options.choice.families.push_back(&family);
  for (const std::string &model : arguments.models) {
    TILERIG_TRY(Family family, familyOfFile(model));
    for (const Family &other : arguments.ofModels)
      if (other.name == family.name)
        return usageError("--models " + model,
                          "another model has the same file name, so that their rows could not be told apart",
                          "rename one of the two files");
    arguments.ofModels.push_back(std::move(family));
    arguments.options.choice.families.push_back(&arguments.ofModels.back());
  }
  // Every name that --families accepts selects at least one family. If no family is left, --without-families
  // has excluded them all.
  return arguments.options.choice.families.empty()
             ? Status(usageError("--without-families", "no family is left to draw networks from",
                                 "exclude fewer families"))
             : success();
}

Status chooseBugs(DatasetArguments &arguments) {
  std::vector<std::string_view> ids;
  for (const Bug &bug : bugCatalogue())
    ids.push_back(bug.id);
  for (const auto &[option, names] :
       {std::pair{"--bugs", &arguments.bugs}, {"--without-bugs", &arguments.withoutBugs}})
    for (const std::string &name : *names)
      if (!findBug(name))
        return unknownName(option, name, ids);
  const auto &classNames = EnumNames<BugClass>::values;
  for (const std::string &name : arguments.classes)
    if (std::ranges::find(classNames, name) == classNames.end())
      return unknownName("--classes", name, classNames);
  auto allows = [](const std::vector<std::string> &names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  const auto isOfClasses = [&](const std::string &name) {
    return allows(arguments.classes, nameOf(findBug(name)->bugClass));
  };
  TILERIG_CHECK_OK(checkLeftOut("--without-bugs", arguments.withoutBugs, [&](const std::string &name) {
    return allows(arguments.bugs, name) && isOfClasses(name);
  }));
  for (const std::string &name : arguments.bugs)
    if (!findBug(name)->showsInTensors)
      return usageError(
          "--bugs",
          fmt::format("'{}' changes no tensor: its runs never end, or only their timing differs", name),
          "leave this bug out, or inject it with tilerig check --inject");
    else if (!isOfClasses(name))
      return usageError("--bugs", fmt::format("'{}' belongs to none of the classes in --classes", name),
                        "leave this bug out, or add its class to --classes");
  for (const Bug &bug : bugCatalogue())
    if (bug.showsInTensors && allows(arguments.bugs, bug.id) &&
        allows(arguments.classes, nameOf(bug.bugClass)) &&
        (arguments.withoutBugs.empty() || !allows(arguments.withoutBugs, bug.id)))
      arguments.options.choice.bugs.push_back(&bug);
  if (!arguments.options.choice.bugs.empty())
    return success();
  if (!arguments.withoutBugs.empty())
    return usageError("--without-bugs", "no bug is left to inject", "exclude fewer bugs");
  return usageError("--classes", "no bug of these classes changes a tensor", "select other classes");
}

nlohmann::ordered_json asJson(const DatasetManifest &manifest) {
  uint64_t rows = 0;
  for (const auto &[name, count] : manifest.classes)
    rows += count;
  return {{"rows", rows},
          {"shards", manifest.shards.size()},
          {"classes", manifest.classes},
          {"conflicts", manifest.conflictRows},
          {"without_sample", manifest.counts}};
}

std::string asText(const DatasetManifest &manifest) {
  std::string text;
  uint64_t rows = 0;
  for (const std::string_view name : EnumNames<BugClass>::values)
    if (const auto entry = manifest.classes.find(std::string(name)); entry != manifest.classes.end()) {
      text += fmt::format("{:>9}  {}\n", entry->second, name);
      rows += entry->second;
    }
  text += fmt::format("{:>9}  rows in {} shards\n", rows, manifest.shards.size());
  text +=
      fmt::format("{:>9}  rows left out: equal measurements, but different classes\n", manifest.conflictRows);
  for (const auto &[reason, count] : manifest.counts)
    text += fmt::format("{:>9}  attempts without a sample: {}\n", count, reason);
  return text;
}

// Refuses options that have no effect when datasets are merged instead of made.
Status refuseIdle(const DatasetArguments &arguments, const CommandOptions &options) {
  for (const char *option : {"--seed", "--samples", "--families", "--without-families", "--models",
                             "--classes", "--bugs", "--without-bugs", "--attempts", "--resume"})
    TILERIG_CHECK_OK(tilerig::refuseIdle(
        options, {{option, !arguments.merged.empty(),
                   "this option controls how samples are made, but --merge only copies existing ones",
                   "leave this option or --merge out"}}));
  return success();
}

Result<ExitCode> makeOrMerge(DatasetArguments &arguments, const CommandOptions &options, bool json) {
  TILERIG_CHECK_OK(refuseIdle(arguments, options));
  DatasetManifest manifest;
  if (!arguments.merged.empty()) {
    TILERIG_TRY(manifest, mergeDatasets(arguments.options.folder, arguments.merged));
  } else {
    TILERIG_CHECK_OK(chooseFamilies(arguments));
    TILERIG_CHECK_OK(chooseBugs(arguments));
    if (arguments.options.threads == 0)
      arguments.options.threads = std::max(std::thread::hardware_concurrency(), 1U);
    TILERIG_TRY(manifest, makeDataset(arguments.options));
  }
  std::cout << (json ? asJson(manifest).dump(2) + "\n" : asText(manifest));
  return ExitCode::done;
}

void declare(CommandOptions &line, DatasetArguments &arguments) {
  DatasetOptions &options = arguments.options;
  line.addOption("-o,--output", options.folder, "folder to write the dataset to").required();
  line.addOption("--seed", options.choice.seed,
                 "seed of all random choices: another seed gives another "
                 "dataset")
      .showDefault();
  line.addOption("--samples", options.samples,
                 "smallest number of samples; samples of one network after "
                 "another are added until it is reached")
      .showDefault()
      .range(1, 100'000'000);
  std::vector<std::string> names;
  for (const Family &family : families())
    names.emplace_back(family.name);
  line.addOption(
          "--families", arguments.families,
          fmt::format(
              "network families to inject bugs into, of {}; zoo and blocks stand for all that begin with "
              "zoo- or blocks-, small for all others (default: small or, with --models, none)",
              fmt::join(names, ", ")))
      .delimiter(',');
  line.addOption(
      "--models", arguments.models,
      "also inject bugs into blocks of these ONNX models, FILE or FILE:ARCHITECTURE: a few consecutive "
      "nodes each, with the tensors that flow into them");
  line.addOption("--without-families", arguments.withoutFamilies,
                 "network families not to draw networks from")
      .delimiter(',');
  line.addOption("--classes", arguments.classes,
                 "inject only bugs of these classes; tilerig inject --list shows them")
      .delimiter(',');
  line.addOption("--bugs", arguments.bugs, "inject only these bugs; tilerig inject --list shows them")
      .delimiter(',');
  line.addOption("--without-bugs", arguments.withoutBugs, "bugs not to inject").delimiter(',');
  line.addOption("--attempts", options.choice.attempts,
                 "largest number of attempts to make a sample with one "
                 "network")
      .showDefault()
      .range(1, 10000);
  line.addFlag("--resume", options.resumes,
               "continue a dataset that was begun in this folder with the same "
               "options");
  line.addOption("--merge", arguments.merged, "merge these datasets into one, instead of making samples");
  line.addOption("--threads", options.threads, "number of host threads; the dataset does not depend on it")
      .range(1, 1024);
}

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("dataset"), "tilerig dataset -o data --samples 20000\n"
                                       "tilerig dataset -o data --samples 40000 --resume\n"
                                       "tilerig dataset -o held --seed 2 --families vit,bert --samples 2000\n"
                                       "tilerig dataset -o both --merge data held");
  verify::DatasetArguments arguments;
  arguments.options.threads = 0;
  verify::declare(line.options(), arguments);
  return line.run(argc, argv, [&] { return verify::makeOrMerge(arguments, line.options(), line.json()); });
}
