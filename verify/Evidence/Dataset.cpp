#include "isa/Base/Support/File.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/OriginJson.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr uint64_t manifestVersion = 1;

std::string pathIn(const std::string &folder) { return folder + "/dataset.json"; }

Result<std::vector<ShardFile>> shardsIn(const DatasetJson &json, const std::string &place) {
  const auto list = json.find("shards");
  if (list == json.end() || !list->is_array())
    return invalidInput(place, "'shards' is missing or not a list");
  std::vector<ShardFile> shards;
  for (const DatasetJson &entry : *list) {
    if (!entry.is_object())
      return invalidInput(place, "each of 'shards' must be an object with 'file' and 'rows'");
    ShardFile shard;
    TILERIG_TRY(shard.name, textIn(entry, "file", place));
    TILERIG_TRY(shard.rows, countIn(entry, "rows", place));
    if (shard.name.empty() || shard.name.find('/') != std::string::npos)
      return invalidInput(place, fmt::format("'{}' is not a valid shard name", shard.name),
                          "a shard must be a file in the folder of the dataset");
    shards.push_back(std::move(shard));
  }
  return shards;
}

Status readConflicts(const DatasetJson &json, const std::string &place, DatasetManifest &manifest) {
  const auto conflicts = json.find("conflicts");
  if (conflicts == json.end() || !conflicts->is_object())
    return invalidInput(place, "'conflicts' is missing or not an object");
  TILERIG_TRY(manifest.conflictRows, countIn(*conflicts, "rows", place));
  const auto digests = conflicts->find("digests");
  if (digests == conflicts->end() || !digests->is_array())
    return invalidInput(place, "'conflicts.digests' is missing or not a list");
  for (const DatasetJson &entry : *digests) {
    TILERIG_TRY(const uint64_t digest, parseDigest(entry, place));
    manifest.conflicts.insert(digest);
  }
  return success();
}

} // namespace

Result<DatasetManifest> readManifest(const std::string &folder) {
  const std::string path = pathIn(folder);
  TILERIG_TRY(const std::string text, readText(path));
  return parseManifest(text, path);
}

Result<DatasetManifest> parseManifest(std::string_view text, const std::string &path) {
  TILERIG_TRY(const DatasetJson json, parseObject(text, path));
  TILERIG_CHECK_OK(checkFileType(json, "Dataset", path));
  TILERIG_TRY(const uint64_t version, countIn(json, "version", path));
  if (version != manifestVersion)
    return invalidInput(
        path, fmt::format("has version {}, but tilerig reads version {}", version, manifestVersion));
  DatasetManifest manifest;
  manifest.evidenceVersion = evidenceVersion;
  TILERIG_TRY(manifest.command, textIn(json, "command", path));
  TILERIG_TRY(manifest.seed, countIn(json, "seed", path));
  TILERIG_TRY(manifest.shards, shardsIn(json, path));
  TILERIG_TRY(manifest.classes, countsIn(json, "classes", path));
  TILERIG_TRY(manifest.counts, countsIn(json, "counts", path));
  TILERIG_CHECK_OK(readConflicts(json, path, manifest));
  return manifest;
}

Status writeManifest(const std::string &folder, const DatasetManifest &manifest) {
  return writeText(pathIn(folder), printManifest(manifest));
}

std::string printManifest(const DatasetManifest &manifest) {
  DatasetJson shards = DatasetJson::array(), digests = DatasetJson::array();
  for (const ShardFile &shard : manifest.shards)
    shards.push_back({{"file", shard.name}, {"rows", shard.rows}});
  for (const uint64_t digest : manifest.conflicts)
    digests.push_back(printDigest(digest));
  const DatasetJson json = {{"file_type", "Dataset"},
                            {"version", manifestVersion},
                            {"evidence_version", manifest.evidenceVersion},
                            {"command", manifest.command},
                            {"seed", manifest.seed},
                            {"classes", manifest.classes},
                            {"counts", manifest.counts},
                            {"conflicts", {{"rows", manifest.conflictRows}, {"digests", std::move(digests)}}},
                            {"shards", std::move(shards)}};
  return json.dump(1, ' ', false, DatasetJson::error_handler_t::replace) + "\n";
}

Status readDataset(const std::string &folder, const DatasetManifest &manifest, const VisitRow &visit) {
  for (const ShardFile &file : manifest.shards) {
    TILERIG_TRY(const Shard shard, readShard(folder + "/" + file.name));
    if (shard.rows() != file.rows)
      return invalidInput(
          folder + "/" + file.name,
          fmt::format("has {} rows, but {} according to dataset.json", shard.rows(), file.rows));
    for (size_t row = 0; row < shard.rows(); ++row)
      if (!manifest.conflicts.contains(shard.digests.as<uint64_t>()[row]))
        TILERIG_CHECK_OK(visit(shard, row));
  }
  return success();
}

} // namespace tilerig::verify
