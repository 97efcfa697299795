// Files of samples. A dataset is a folder:
//
//   dataset.json       what it is, how it was made, what it has: DatasetManifest
//   shard-00000.npz    channels  uint8 [N, numChannels, 64, 64]
//                      picture   uint8 [N, 3, 64, 64]
//                      facts     float32 [N, numFacts]
//                      class     uint8 [N], BugClass
//                      digest    uint64 [N]
//   shard-00000.jsonl  a line that says what the unit gave (ShardHead), and one for each row: Origin, and the
//                      digest
//   ...
//
// A shard is what one unit of work gave. Rows that are alike to the bit and of different classes are
// conflicts: the manifest lists their digests, and readDataset leaves them out. Digests are written as
// sixteen hexadecimal digits: numbers of 64 bits do not survive every reader of JSON.
#pragma once

#include "verify/Evidence/Sample.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::verify {

struct ShardFile {
  std::string name; // without folder and suffix
  uint64_t rows = 0;
};

struct DatasetManifest {
  int evidenceVersion = 0;
  std::string command; // that makes it again
  uint64_t seed = 0;
  std::vector<ShardFile> shards;           // in the order of their units
  std::map<std::string, uint64_t> classes; // rows by class, without conflicts
  std::map<std::string, uint64_t> counts;  // of all shards (ShardHead)
  std::set<uint64_t> conflicts;            // digests
  uint64_t conflictRows = 0;
};

// Refused: what is missing, damaged or of another version.
Result<DatasetManifest> readManifest(const std::string &folder);
std::string printManifest(const DatasetManifest &manifest);
Result<DatasetManifest> parseManifest(std::string_view text, const std::string &path);
Status writeManifest(const std::string &folder, const DatasetManifest &manifest);

// What a unit of work gave: rows, and by reason ("equivalent", "no_place", ...) how many mutants gave none.
struct ShardHead {
  uint64_t rows = 0;
  std::map<std::string, uint64_t> counts;
};

struct Shard {
  Tensor channels, picture, facts, classes, digests;
  std::vector<Origin> origins;

  size_t rows() const { return origins.size(); }
};

// `stem` is the path without suffix. Neither file has its name before it is whole.
Status writeShard(const std::string &stem, const std::vector<Sample> &samples,
                  const std::map<std::string, uint64_t> &counts);
// Refused: what is damaged, of another version, or does not fit together.
Result<Shard> readShard(const std::string &stem);

// The lines alone, which tell what there is without reading evidence.
struct OriginLine {
  Origin origin;
  uint64_t digest = 0;
};
struct ShardLines {
  ShardHead head;
  std::vector<OriginLine> rows;
};
Result<ShardLines> readShardLines(const std::string &stem);
// The text of such a file, and back; `path` leads messages.
std::string printShardLines(const std::vector<Sample> &samples,
                            const std::map<std::string, uint64_t> &counts);
Result<ShardLines> parseShardLines(std::string_view text, const std::string &path);

// A row of a dataset that is no conflict: `row` of the shard.
using VisitRow = std::function<Status(const Shard &shard, size_t row)>;
// Visits all of them, a shard at a time in memory.
Status readDataset(const std::string &folder, const DatasetManifest &manifest, const VisitRow &visit);

} // namespace tilerig::verify
