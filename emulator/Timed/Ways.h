// What transfers share: DDR, its ports, and the links between routers.
#pragma once

#include "isa/Timing/Dma.h"

namespace tilerig {

// Grants chunks in the order in which they are asked for. Time is counted in thousandths of a cycle here, as
// DDR does not move a whole number of bytes in one.
class Ways {
public:
  explicit Ways(const Machine &machine) : machine(machine), ports(maxPorts), links(maxLinks) {}

  struct Grant {
    uint64_t begin, end; // cycles
  };
  // Chunk `index` of `chunks` of a phase, asked for at that cycle.
  Grant grant(const TransferPhase &phase, uint64_t index, uint64_t chunks, uint64_t cycle);

private:
  const Machine &machine;
  uint64_t ddr = 0; // when it is free again
  std::vector<uint64_t> ports, links;
};

} // namespace tilerig
