// The resources that transfers share (DDR, its ports, and the links between routers) and when each is free.
#pragma once

#include "isa/Timing/Dma.h"

#include <array>

namespace tilerig {

// Time on shared resources is counted in thousandths of a cycle, because the bytes that DDR moves per cycle
// are not a whole number.
inline constexpr uint64_t ticksPerCycle = 1000;

class SharedWays {
public:
  explicit SharedWays(const Machine &machine) : machine(machine) {}

  static bool areUsed(const TransferPhase &phase) { return phase.ddrPorts != 0 || phase.links.size() > 0; }
  // The first tick at which all resources that a transfer phase uses are free.
  uint64_t freeAt(const TransferPhase &phase) const;
  // Occupies the shared resources for one of the `chunks` equal chunks of a transfer phase. The chunk begins
  // at `tick`.
  void occupy(const TransferPhase &phase, uint64_t chunks, uint64_t tick);

private:
  const Machine &machine;
  uint64_t ddr = 0; // tick at which DDR as a whole is free again
  std::array<uint64_t, maxPorts> ports{};
  std::array<uint64_t, maxLinks> links{};
};

} // namespace tilerig
