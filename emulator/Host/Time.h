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
  uint64_t bytesIn = 0, bytesOut = 0; // over the link, as DDR stores them
  uint64_t operations = 0;
  uint64_t cycles = 0;
};

// With the operations that a run of it took, else with those of its typical case.
HostCost costOfHost(const Program &program, const proto::HostWork &work,
                    std::optional<uint64_t> operations = {});

// Whether values decide how long any stage of the host takes.
bool timeDependsOnValues(const Program &program);

} // namespace tilerig
