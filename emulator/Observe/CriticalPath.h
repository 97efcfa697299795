// The critical path of a stage: the chain of dependent steps that ends last.
//
// The path is followed backwards from the last step of the stage to the stage's beginning: the predecessor of
// each step is the dependency that ended latest. The steps of the chain therefore cover all cycles of the
// stage, each cycle once.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

struct PathShare {
  uint64_t cycles = 0;
  uint64_t links = 0; // number of the layer's instructions on the critical path
};
// For each layer, by index, its share of the critical path.
using CriticalPath = std::map<uint32_t, PathShare>;

// Adds the critical path of a stage to `path`. The stage ran to its end and began at cycle `begin`.
void addCriticalPath(const Program &program, const StageCosts &costs, const Timeline &timeline,
                     uint64_t begin, CriticalPath &path);

} // namespace tilerig::emulator
