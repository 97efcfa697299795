// Makes a dataset from a choice of network families and bugs. Takes samples of each network and writes them
// as a shard (a pair of files, verify/Evidence/Shard.h); several networks can be sampled in parallel.
#pragma once

#include "classifier/Samples/Unit.h"
#include "verify/Evidence/Shard.h"

namespace tilerig::verify {

struct DatasetOptions {
  std::string folder;
  Choice choice;
  // Smallest number of rows of the dataset. Networks are added until it is reached.
  uint64_t samples = 1000;
  unsigned threads = 1; // number of networks that are sampled in parallel; the rows do not depend on it
  bool resumes = false; // whether to continue with the shards that are already in the folder
};

// Makes those shards of a dataset that are missing in its folder, and writes the manifest last. Refuses a
// non-empty folder, unless it holds an unfinished dataset with the same options that is to be resumed.
Result<DatasetManifest> makeDataset(const DatasetOptions &options);

// Makes the manifest of existing shards of a dataset. It states what the shards contain, and which rows have
// the same measurements but different bug classes.
Result<DatasetManifest> surveyShards(const std::string &folder, const std::vector<std::string> &shards);

// The command line that makes the same dataset again.
std::string commandOf(const DatasetOptions &options);

// Merges datasets by copying their shards into an empty folder. Returns the manifest of the merged dataset.
Result<DatasetManifest> mergeDatasets(const std::string &folder, const std::vector<std::string> &sources);

// Name of a shard without suffix: "shard-00017".
std::string shardName(uint64_t number);

} // namespace tilerig::verify
