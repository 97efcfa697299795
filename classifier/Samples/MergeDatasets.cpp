#include "classifier/Samples/MakeDataset.h"
#include "verify/Evidence/Channels.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

Status copyShard(const std::string &from, const std::string &to) {
  // the two files of a shard, in the order in which they are written
  for (const char *suffix : {".jsonl", ".npz"}) {
    std::error_code failed;
    std::filesystem::copy_file(from + suffix, to + suffix, failed);
    if (failed)
      return invalidInput(from + suffix,
                          "the file cannot be copied to " + to + suffix + ": " + failed.message());
  }
  return success();
}

} // namespace

Result<DatasetManifest> surveyShards(const std::string &folder, const std::vector<std::string> &shards) {
  DatasetManifest manifest;
  manifest.evidenceVersion = evidenceVersion;
  std::map<uint64_t, std::map<BugClass, uint64_t>> rowsByDigest;
  for (const std::string &name : shards) {
    TILERIG_TRY(const ShardLines lines, readShardLines(folder + "/" + name));
    manifest.shards.push_back({name, lines.head.rows});
    for (const auto &[reason, count] : lines.head.counts)
      manifest.counts[reason] += count;
    for (const OriginLine &line : lines.rows)
      ++rowsByDigest[line.digest][line.origin.bugClass];
  }
  for (const auto &[digest, byClass] : rowsByDigest)
    for (const auto &[bugClass, rows] : byClass)
      if (byClass.size() > 1) {
        manifest.conflicts.insert(digest);
        manifest.conflictRows += rows;
      } else {
        manifest.classes[std::string(nameOf(bugClass))] += rows;
      }
  return manifest;
}

Result<DatasetManifest> mergeDatasets(const std::string &folder, const std::vector<std::string> &sources) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed || !std::filesystem::is_empty(folder, failed))
    return usageError(
        folder, failed ? "the folder cannot be created: " + failed.message() : "the folder is not empty",
        "choose a folder that does not exist yet");
  std::vector<std::string> shards, commands;
  for (const std::string &source : sources) {
    TILERIG_TRY(const DatasetManifest manifest, readManifest(source));
    commands.push_back(manifest.command);
    for (const ShardFile &file : manifest.shards) {
      shards.push_back(shardName(shards.size()));
      TILERIG_CHECK_OK(copyShard(source + "/" + file.name, folder + "/" + shards.back()));
    }
  }
  TILERIG_TRY(DatasetManifest manifest, surveyShards(folder, shards));
  manifest.command = fmt::format("{}", fmt::join(commands, "; "));
  TILERIG_CHECK_OK(writeManifest(folder, manifest));
  return manifest;
}

} // namespace tilerig::verify
