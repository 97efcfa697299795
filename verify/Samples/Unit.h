// A unit of work: a network under one setting, and the samples that are taken of it. What comes out depends
// on the seed of the dataset and the number of the unit alone.
#pragma once

#include "verify/Samples/Samples.h"

namespace tilerig::verify {

// What samples are taken of.
struct Choice {
  uint64_t seed = 1;
  std::vector<const Family *> families;
  std::vector<const Bug *> bugs;
  size_t attempts = 36; // of a unit
};

struct UnitResult {
  std::vector<Sample> samples;
  SampleCounts counts;
};
Result<UnitResult> runUnit(const Choice &choice, uint64_t unit, reference::Threads &threads);

} // namespace tilerig::verify
