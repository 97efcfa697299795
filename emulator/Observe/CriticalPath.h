// The critical path of a stage: the chain of steps, each of which could not go on before the one in front of
// it ended, that ends last.
//
// It is followed from the last step back to the beginning of the stage: before each step stands, of all that
// the step needs, what ended latest. So the steps of the chain share out the cycles of the stage without gap.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig {

struct PathShare {
  uint64_t cycles = 0;
  uint64_t links = 0; // instructions of the chain
};
using CriticalPath = std::map<uint32_t, PathShare>; // by layer

// Adds the path of a stage that has ended and began at that cycle.
void addCriticalPath(const Program &program, const StageCosts &costs, const Timeline &timeline,
                     uint64_t begin, CriticalPath &path);

} // namespace tilerig
