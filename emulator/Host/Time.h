// What a stage of the host costs in cycles of the machine: the figures and the formula are
// isa/Timing/Host.h's.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

struct HostCost {
  uint64_t bytesIn = 0, bytesOut = 0; // over the link, as DDR stores them
  uint64_t operations = 0;
  uint64_t cycles = 0;
};

HostCost costOfHost(const Program &program, const proto::HostWork &work);

} // namespace tilerig
