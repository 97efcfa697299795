// DDR, its ports and the links between routers as queues of whole transfers: a transfer that has begun keeps
// what it uses until its last byte is through, and the next one waits.
//
// The machine shares them chunk by chunk instead (isa/Timeline/ChunkGrants.h). When the last of several
// transfers is through comes out the same, the others end earlier here.
#pragma once

#include "isa/Timeline/SharedWays.h"

namespace tilerig {

class QueuedWays {
public:
  explicit QueuedWays(const Machine &machine) : machine(machine) {}

  // Takes what the phase sends, whose first byte comes at that cycle; when the last one is through.
  uint64_t pass(const TransferPhase &phase, uint64_t firstCycle);

private:
  uint64_t queue(uint64_t &free, uint64_t first, uint64_t ticks) {
    return free = std::max(free, first) + ticks;
  }

  const Machine &machine;
  uint64_t ddr = 0; // when it is free again, in ticks
  std::array<uint64_t, maxPorts> ports{};
  std::array<uint64_t, maxLinks> links{};
};

} // namespace tilerig
