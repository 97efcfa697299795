// A unit of work: one network under one setting (precision, machine, tiles), and the samples taken of it. The
// result depends only on the dataset's seed and the number of the unit.
#pragma once

#include "classifier/Samples/Samples.h"

namespace tilerig::verify {

// Families of networks and bugs from which a dataset is made, and number of attempts to take a sample of each
// network.
struct Choice {
  uint64_t seed = 1;
  std::vector<const Family *> families;
  std::vector<const Bug *> bugs;
  size_t attempts = 36; // number of attempts to take a sample of each network
};

struct UnitResult {
  std::vector<Sample> samples;
  SampleCounts counts;
};
Result<UnitResult> runUnit(const Choice &choice, uint64_t unit, reference::Threads &threads);

} // namespace tilerig::verify
