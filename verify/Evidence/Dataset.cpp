#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/OriginJson.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr uint64_t manifestVersion = 1;

std::string pathIn(const std::string &folder) { return folder + "/dataset.json"; }

Result<std::vector<ShardFile>> shardsIn(const JsonPlace &list) {
  TILERIG_CHECK_OK(list.expectList());
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < list.value->size(); ++i) {
    const JsonPlace entry = list.at(i), file = entry.at("file");
    TILERIG_CHECK_OK(entry.expectObject());
    ShardFile shard;
    TILERIG_TRY(shard.name, file.text());
    TILERIG_TRY(shard.rows, entry.at("rows").wholeNumber<uint64_t>());
    if (shard.name.empty() || shard.name.find('/') != std::string::npos)
      return file.refuse(fmt::format("'{}' is not a valid shard name", shard.name),
                         "a shard must be a file in the folder of the dataset");
    shards.push_back(std::move(shard));
  }
  return shards;
}

Status readConflicts(const JsonPlace &conflicts, DatasetManifest &manifest) {
  TILERIG_CHECK_OK(conflicts.expectObject());
  TILERIG_TRY(manifest.conflictRows, conflicts.at("rows").wholeNumber<uint64_t>());
  const JsonPlace digests = conflicts.at("digests");
  TILERIG_CHECK_OK(digests.expectList());
  for (size_t i = 0; i < digests.value->size(); ++i) {
    TILERIG_TRY(const uint64_t digest, parseDigest(digests.at(i)));
    manifest.conflicts.insert(digest);
  }
  return success();
}

Result<DatasetManifest> manifestIn(std::string_view text, const std::string &path) {
  TILERIG_TRY(const Json json, parseStrictJson(text, path, limitsOfOwnFiles));
  const JsonPlace file{&json, path};
  TILERIG_CHECK_OK(checkFileType(file, "Dataset"));
  TILERIG_CHECK_OK(file.at("version").wholeNumber(manifestVersion, manifestVersion));
  DatasetManifest manifest;
  manifest.evidenceVersion = evidenceVersion;
  TILERIG_TRY(manifest.command, file.at("command").text());
  TILERIG_TRY(manifest.seed, file.at("seed").wholeNumber<uint64_t>());
  TILERIG_TRY(manifest.shards, shardsIn(file.at("shards")));
  TILERIG_TRY(manifest.classes, countsIn(file.at("classes")));
  TILERIG_TRY(manifest.counts, countsIn(file.at("counts")));
  TILERIG_CHECK_OK(readConflicts(file.at("conflicts"), manifest));
  return manifest;
}

} // namespace

Result<DatasetManifest> readManifest(const std::string &folder) {
  const std::string path = pathIn(folder);
  TILERIG_TRY(const std::string text, readText(path));
  return parseManifest(text, path);
}

Result<DatasetManifest> parseManifest(std::string_view text, const std::string &path) {
  return advised(manifestIn(text, path), "make the dataset again with tilerig dataset");
}

Status writeManifest(const std::string &folder, const DatasetManifest &manifest) {
  return writeText(pathIn(folder), printManifest(manifest));
}

std::string printManifest(const DatasetManifest &manifest) {
  Json shards = Json::array(), digests = Json::array();
  for (const ShardFile &shard : manifest.shards)
    shards.push_back({{"file", shard.name}, {"rows", shard.rows}});
  for (const uint64_t digest : manifest.conflicts)
    digests.push_back(printDigest(digest));
  const Json json = {{"file_type", "Dataset"},
                     {"version", manifestVersion},
                     {"evidence_version", manifest.evidenceVersion},
                     {"command", manifest.command},
                     {"seed", manifest.seed},
                     {"classes", manifest.classes},
                     {"counts", manifest.counts},
                     {"conflicts", {{"rows", manifest.conflictRows}, {"digests", std::move(digests)}}},
                     {"shards", std::move(shards)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status readDataset(const std::string &folder, const DatasetManifest &manifest, const VisitRow &visit) {
  for (const ShardFile &file : manifest.shards) {
    TILERIG_TRY(const Shard shard, readShard(folder + "/" + file.name));
    if (shard.rows() != file.rows)
      return invalidInput(
          folder + "/" + file.name,
          fmt::format("the shard has {} rows, but {} according to dataset.json", shard.rows(), file.rows));
    for (size_t row = 0; row < shard.rows(); ++row)
      if (!manifest.conflicts.contains(shard.digests.as<uint64_t>()[row]))
        TILERIG_CHECK_OK(visit(shard, row));
  }
  return success();
}

} // namespace tilerig::verify
