// Simple model of the resources that transfers share (DDR, its ports, and the links): first come, first
// served. A transfer holds its resources until its last byte has passed, and the next one waits.
//
// On the machine, concurrent transfers take turns chunk by chunk instead (isa/Timeline/ChunkGrants.h). The
// last of several concurrent transfers ends at the same time in both models. All others end earlier in this
// model than on the machine.
#pragma once

#include "isa/Timeline/SharedWays.h"

namespace tilerig::compiler {

class QueuedWays {
public:
  explicit QueuedWays(const Machine &machine) : machine(machine) {}

  // Adds one phase (reading or writing) of a transfer to the queues of its resources. The first byte arrives
  // at `firstCycle`; returns the cycle at which the last byte has passed.
  uint64_t pass(const TransferPhase &phase, uint64_t firstCycle);

private:
  uint64_t queue(uint64_t &free, uint64_t first, uint64_t ticks) {
    return free = std::max(free, first) + ticks;
  }

  const Machine &machine;
  uint64_t ddr = 0; // time, in ticks of the machine's clock, at which DDR is free again
  std::array<uint64_t, maxPorts> ports{};
  std::array<uint64_t, maxLinks> links{};
};

} // namespace tilerig::compiler
