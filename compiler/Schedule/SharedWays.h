// What transfers share, as an estimate: DDR, its ports and the links between routers.
//
// Each is a queue that bytes go through at its rate, first come, first served. Transfers that meet share it
// in turns on the machine; when the last of them is through comes out the same.
#pragma once

#include "isa/Timing/Dma.h"

#include <array>

namespace tilerig {

class SharedWays {
public:
  explicit SharedWays(const Machine &machine) : machine(machine) {}

  // Takes what the phase sends, whose first byte comes at that cycle; when the last one is through.
  uint64_t pass(const TransferPhase &phase, uint64_t firstCycle);

private:
  static constexpr uint64_t ticksPerCycle = 1000; // DDR moves no whole number of bytes in a cycle
  uint64_t queue(uint64_t &free, uint64_t first, uint64_t ticks) {
    return free = std::max(free, first) + ticks;
  }

  const Machine &machine;
  uint64_t ddr = 0; // when it is free again, in ticks
  std::array<uint64_t, maxPorts> ports{};
  std::array<uint64_t, maxLinks> links{};
};

} // namespace tilerig
