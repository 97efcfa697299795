// What transfers share: DDR, its ports, and the links between routers.
#pragma once

#include "isa/Timing/Dma.h"

#include <array>

namespace tilerig {

// Time on shared ways is counted in thousandths of a cycle, as DDR does not move a whole number of bytes in
// one.
inline constexpr uint64_t ticksPerCycle = 1000;

class SharedWays {
public:
  explicit SharedWays(const Machine &machine) : machine(machine) {}

  static bool areUsed(const TransferPhase &phase) { return phase.ddrPorts != 0 || phase.links.size() > 0; }
  // The first tick at which all that the phase uses is free.
  uint64_t freeAt(const TransferPhase &phase) const;
  // One of so many chunks goes from that tick on.
  void occupy(const TransferPhase &phase, uint64_t chunks, uint64_t tick);

private:
  const Machine &machine;
  uint64_t ddr = 0; // when it is free again
  std::array<uint64_t, maxPorts> ports{};
  std::array<uint64_t, maxLinks> links{};
};

} // namespace tilerig
