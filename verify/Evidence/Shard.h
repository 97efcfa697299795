// Files of samples for the classifier. A dataset is a folder:
//
//   dataset.json       how it was made and what it contains: DatasetManifest
//   shard-00000.npz    channels  uint8 [N, numChannels, 64, 64]
//                      picture   uint8 [N, 3, 64, 64]
//                      features  float32 [N, numFeatures]
//                      class     uint8 [N], BugClass
//                      digest    uint64 [N], hash of the sample's evidence
//   shard-00000.jsonl  a line with the totals of the shard (ShardHead), and one for each row: Origin, and
//                      the digest
//   ...
//
// A shard holds the samples of one network, compiled with one set of options. Rows with identical evidence
// and different classes are conflicts: the manifest lists their digests, and readDataset leaves them out.
// Digests are written as sixteen hexadecimal digits, since not every JSON reader preserves 64-bit numbers.
#pragma once

#include "verify/Evidence/Sample.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::verify {

struct ShardFile {
  std::string name; // file name of the shard without folder and suffix
  uint64_t rows = 0;
};

struct DatasetManifest {
  int evidenceVersion = 0;
  std::string command; // command that makes the dataset again
  uint64_t seed = 0;
  // The dataset's shards, each with the samples of one compiled network, in ascending order of number.
  std::vector<ShardFile> shards;
  // Number of rows of each class, without conflicts (rows whose evidence also occurs with another class).
  std::map<std::string, uint64_t> classes;
  std::map<std::string, uint64_t> counts; // number of mutants that gave no row, by reason, over all shards
  std::set<uint64_t> conflicts;           // digests of the rows whose evidence also occurs with another class
  uint64_t conflictRows = 0;
};

// Reads the manifest of a dataset. Refuses a manifest that is missing, damaged or of another version.
Result<DatasetManifest> readManifest(const std::string &folder);
std::string printManifest(const DatasetManifest &manifest);
Result<DatasetManifest> parseManifest(std::string_view text, const std::string &path);
Status writeManifest(const std::string &folder, const DatasetManifest &manifest);

// Totals of a shard: its number of rows, and how many mutants (programs with a bug) gave no row, by reason
// ("equivalent", "no_place", ...).
struct ShardHead {
  uint64_t rows = 0;
  std::map<std::string, uint64_t> counts;
};

struct Shard {
  Tensor channels, picture, features, classes, digests;
  std::vector<Origin> origins;

  size_t rows() const { return origins.size(); }
};

// Writes both files of a shard, `stem`.npz and `stem`.jsonl. Each file gets its name only when it is
// complete.
Status writeShard(const std::string &stem, const std::vector<Sample> &samples,
                  const std::map<std::string, uint64_t> &counts);
// Reads both files of a shard. Refuses files that are damaged, of another version, or do not belong together.
Result<Shard> readShard(const std::string &stem);

// A row of a shard's .jsonl file. It lacks the classifier's input, but suffices to list the shard's contents.
struct OriginLine {
  Origin origin;
  uint64_t digest = 0;
};
struct ShardLines {
  ShardHead head;
  std::vector<OriginLine> rows;
};
Result<ShardLines> readShardLines(const std::string &stem);
// Formats and parses the text of a .jsonl file; `path` is the prefix of messages.
std::string printShardLines(const std::vector<Sample> &samples,
                            const std::map<std::string, uint64_t> &counts);
Result<ShardLines> parseShardLines(std::string_view text, const std::string &path);

// Callback for a row of a dataset, at index `row` of its shard. It is not called for rows whose evidence also
// occurs with another class.
using VisitRow = std::function<Status(const Shard &shard, size_t row)>;
// Calls `visit` for all rows of a dataset except conflicts (rows whose evidence also occurs with another
// class), with one shard in memory at a time.
Status readDataset(const std::string &folder, const DatasetManifest &manifest, const VisitRow &visit);

} // namespace tilerig::verify
