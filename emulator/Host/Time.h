// What a stage of the host costs in cycles of the machine: the figures and the formula are
// isa/Timing/Host.h's.
#pragma once

#include "isa/Program/Program.h"

#include <optional>
#include <vector>

namespace tilerig {

// By stage of a program: what a run of it took on the host, where that depends on values and the stage has
// run.
using HostOperations = std::vector<std::optional<uint64_t>>;

struct HostCost {
  // Over the link, as DDR stores them. Inputs that earlier stages of the turn have at hand do not count.
  uint64_t bytesIn = 0, bytesOut = 0;
  uint64_t operations = 0;
  uint64_t cycles = 0;
};

// Of a stage that is the host's, in its turn: the stages of the host right in front of it. With the
// operations that a run of it took, else with those of its typical case.
HostCost costOfHost(const Program &program, size_t stage, std::optional<uint64_t> operations = {});

// Whether values decide how long any stage of the host takes.
bool timeDependsOnValues(const Program &program);

} // namespace tilerig
