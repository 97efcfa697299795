// Makes a dataset from a choice of families and bugs: runs units of work, in sequence or in parallel, and
// writes each as a shard.
#pragma once

#include "verify/Evidence/Shard.h"
#include "verify/Samples/Unit.h"

namespace tilerig::verify {

struct DatasetOptions {
  std::string folder;
  Choice choice;
  uint64_t samples = 1000; // least number of rows: units are run until reached
  unsigned threads = 1;    // units in parallel; rows do not depend on it
  bool resumes = false;    // continue with the shards in the folder
};

// Makes the missing shards and writes the manifest last. Refuses a folder that is not empty, unless it
// belongs to the same choice and is to be resumed.
Result<DatasetManifest> makeDataset(const DatasetOptions &options);

// Manifest of existing shards: their contents, and the rows with equal evidence but different classes.
Result<DatasetManifest> surveyShards(const std::string &folder, const std::vector<std::string> &shards);

// The command line that makes the dataset again.
std::string commandOf(const DatasetOptions &options);

// Merges datasets: copies their shards into an empty folder.
Result<DatasetManifest> mergeDatasets(const std::string &folder, const std::vector<std::string> &sources);

// "shard-00017"
std::string shardName(uint64_t number);

} // namespace tilerig::verify
