// A dataset from nothing but a choice: units of work, one after the other or side by side, each a shard of
// its own.
#pragma once

#include "verify/Evidence/Shard.h"
#include "verify/Samples/Unit.h"

namespace tilerig::verify {

struct DatasetOptions {
  std::string folder;
  Choice choice;
  uint64_t samples = 1000; // at least so many rows: units are taken until there are
  unsigned threads = 1;    // units side by side; rows do not depend on it
  bool resumes = false;    // goes on with what the folder has
};

// Makes what is missing, and writes the manifest last. A folder that holds anything is refused, unless it is
// of the same choice and to be resumed.
Result<DatasetManifest> makeDataset(const DatasetOptions &options);

// The manifest of shards that are there: what they hold, and which rows contradict each other.
Result<DatasetManifest> surveyShards(const std::string &folder, const std::vector<std::string> &shards);

// The line that makes it again.
std::string commandOf(const DatasetOptions &options);

// One dataset of several, their shards copied into a folder that is empty.
Result<DatasetManifest> mergeDatasets(const std::string &folder, const std::vector<std::string> &sources);

// "shard-00017"
std::string shardName(uint64_t number);

} // namespace tilerig::verify
