#include "classifier/Samples/MakeDataset.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Bugs/Catalogue.h"
#include "verify/Evidence/Channels.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <optional>

namespace tilerig::verify {

namespace {

// Path of the file in which a dataset's folder records the options of the dataset. An unfinished dataset can
// be resumed only with the same options.
std::string planPath(const std::string &folder) { return folder + "/plan.txt"; }
std::string planOf(const DatasetOptions &options) {
  DatasetOptions anyNumber = options;
  anyNumber.samples = 0;
  return fmt::format("evidence {}: {}\n", evidenceVersion, commandOf(anyNumber));
}

Status prepareFolder(const DatasetOptions &options) {
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  const bool isEmpty = !failed && std::filesystem::is_empty(options.folder, failed);
  if (failed)
    return invalidInput(options.folder, "the folder cannot be created: " + failed.message());
  if (isEmpty)
    return writeText(planPath(options.folder), planOf(options));
  if (!options.resumes)
    return usageError(options.folder, "the folder is not empty",
                      "choose another folder, or continue its dataset with --resume");
  TILERIG_TRY(const std::string plan, readText(planPath(options.folder)));
  if (plan != planOf(options))
    return usageError(options.folder,
                      fmt::format("the dataset in this folder was begun with other options: '{}'",
                                  plan.substr(0, plan.size() - 1)),
                      "resume the dataset with its original options, or choose another folder");
  return success();
}

// Distributes units (a unit is one network with its samples) to threads in the order of their numbers, until
// enough rows are complete.
class Work {
public:
  explicit Work(const DatasetOptions &options)
      : options(options), progress(options.folder, options.samples) {}

  void run() {
    reference::Threads threads(1);
    while (const std::optional<uint64_t> unit = take())
      finish(*unit, rowsOf(*unit, threads));
  }

  // Returns the number of units (networks with their samples) that the dataset needs. Removes the shards of
  // all further units that this process has made.
  Result<uint64_t> units() {
    if (failure)
      return *failure;
    uint64_t count = 0, total = 0;
    for (; total < options.samples; ++count)
      total += rows.at(count);
    for (const uint64_t unit : ownUnits)
      if (unit >= count)
        for (const char *suffix : {".npz", ".jsonl"})
          std::filesystem::remove(stemOf(unit) + suffix);
    return count;
  }

private:
  std::string stemOf(uint64_t unit) const { return options.folder + "/" + shardName(unit); }

  std::optional<uint64_t> take() {
    const std::lock_guard lock(mutex);
    uint64_t total = 0, whole = 0;
    for (auto entry = rows.begin(); entry != rows.end() && entry->first == whole; ++entry, ++whole)
      total += entry->second;
    if (failure || total >= options.samples || (whole >= mostBarren && total == 0))
      return {};
    return next++;
  }

  Result<uint64_t> rowsOf(uint64_t unit, reference::Threads &threads) {
    // When a dataset is resumed, only shards that are missing, truncated or damaged are made again.
    if (options.resumes)
      if (const Result<Shard> shard = readShard(stemOf(unit)))
        return shard->rows();
    TILERIG_TRY(const UnitResult result, runUnit(options.choice, unit, threads));
    TILERIG_CHECK_OK(writeShard(stemOf(unit), result.samples, result.counts));
    const std::lock_guard lock(mutex);
    ownUnits.push_back(unit);
    return result.samples.size();
  }

  void finish(uint64_t unit, Result<uint64_t> count) {
    const std::lock_guard lock(mutex);
    if (!count) {
      if (!failure || unit < failedUnit)
        failure = count.error(), failedUnit = unit;
      return;
    }
    rows[unit] = *count;
    progress.advance(*count);
    if (rows.size() >= mostBarren &&
        std::ranges::all_of(rows, [](const auto &entry) { return entry.second == 0; }))
      failure = usageError(options.folder,
                           fmt::format("{} networks with injected bugs gave no sample at all", rows.size()),
                           "choose bugs that can occur in the chosen families");
  }

  static constexpr uint64_t mostBarren = 40;
  const DatasetOptions &options;
  std::mutex mutex;
  Progress progress;
  uint64_t next = 0;
  std::map<uint64_t, uint64_t> rows; // number of rows of each finished unit (one network)
  std::vector<uint64_t> ownUnits;
  std::optional<Error> failure;
  uint64_t failedUnit = 0;
};

} // namespace

static std::vector<const Family *> usual() {
  std::vector<const Family *> some;
  for (const Family &family : families())
    if (family.group == FamilyGroup::small)
      some.push_back(&family);
  return some;
}

std::string shardName(uint64_t number) { return fmt::format("shard-{:05}", number); }

// The words for --families: groups that are chosen as a whole by their names, other families by theirs.
static std::vector<std::string_view> namesOfFamilies(const std::vector<const Family *> &chosen) {
  std::vector<std::string_view> names;
  const auto isChosen = [&](const Family &family) {
    return std::ranges::find(chosen, &family) != chosen.end();
  };
  for (const FamilyGroup group : {FamilyGroup::small, FamilyGroup::blocks, FamilyGroup::zoo}) {
    const auto ofGroup = [&](const Family &family) { return family.group == group; };
    const bool isWhole = std::ranges::all_of(
        families(), [&](const Family &family) { return !ofGroup(family) || isChosen(family); });
    if (isWhole) {
      names.push_back(nameOf(group));
      continue;
    }
    for (const Family &family : families())
      if (ofGroup(family) && isChosen(family))
        names.push_back(family.name);
  }
  return names;
}

std::string commandOf(const DatasetOptions &options) {
  std::string command = fmt::format("tilerig dataset --seed {}", options.choice.seed);
  if (options.samples)
    command += fmt::format(" --samples {}", options.samples);
  std::string models;
  for (const Family *family : options.choice.families)
    if (family->group == FamilyGroup::files)
      models +=
          fmt::format(" {}{}{}", family->file, family->architecture.empty() ? "" : ":", family->architecture);
  std::vector<std::string_view> names = namesOfFamilies(options.choice.families);
  if (!names.empty() && !std::ranges::equal(options.choice.families, usual()))
    command += fmt::format(" --families {}", fmt::join(names, ","));
  if (!models.empty())
    command += " --models" + models;
  names.clear();
  for (const Bug *bug : options.choice.bugs)
    names.push_back(bug->id);
  if (std::cmp_less(names.size(), std::ranges::count_if(bugCatalogue(), &Bug::showsInTensors)))
    command += fmt::format(" --bugs {}", fmt::join(names, ","));
  return command + fmt::format(" --attempts {}", options.choice.attempts);
}

Result<DatasetManifest> makeDataset(const DatasetOptions &options) {
  TILERIG_CHECK_OK(prepareFolder(options));
  Work work(options);
  onThreads(options.threads, [&](unsigned) { work.run(); });
  TILERIG_TRY(const uint64_t units, work.units());
  std::vector<std::string> shards;
  for (uint64_t unit = 0; unit < units; ++unit)
    shards.push_back(shardName(unit));
  TILERIG_TRY(DatasetManifest manifest, surveyShards(options.folder, shards));
  manifest.command = commandOf(options);
  manifest.seed = options.choice.seed;
  TILERIG_CHECK_OK(writeManifest(options.folder, manifest));
  return manifest;
}

} // namespace tilerig::verify
