// Cost of a host stage in cycles of the machine; the constants and the formula are in isa/Timing/Host.h.
#pragma once

#include "isa/Program/Program.h"

#include <optional>
#include <vector>

namespace tilerig::emulator {

// For each stage of a program: the number of arithmetic operations that the host computed in a run, if that
// number depends on data values and the stage has run.
using HostOperations = std::vector<std::optional<uint64_t>>;

struct HostCost {
  // Bytes that cross the host's link, in the types in which DDR stores them. Inputs that are already on the
  // host because of preceding host stages do not count.
  uint64_t bytesIn = 0, bytesOut = 0;
  uint64_t operations = 0;
  uint64_t cycles = 0;
};

// Cost of a host stage, taking into account the consecutive host stages directly in front of it. `operations`
// is the number of arithmetic operations that the host computed in a real run; if absent, the number of a
// typical case is used.
HostCost costOfHost(const Program &program, size_t stage, std::optional<uint64_t> operations = {});

// Whether the duration of any host stage depends on the values of tensors.
bool timeDependsOnValues(const Program &program);

} // namespace tilerig::emulator
