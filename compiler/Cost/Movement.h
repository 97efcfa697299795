// What moving bytes takes at the rates of the machine, before there are instructions that move them: for all
// who compare ways to cut and to place work. Whole cycles, rounded down. What an instruction takes is
// isa/Timing's, what many take together isa/Timeline's.
#pragma once

#include "isa/Machine/Machine.h"

#include <algorithm>
#include <cstdint>

namespace tilerig {

class MovementCosts {
public:
  // `tiles`: those of a program.
  MovementCosts(const Machine &machine, unsigned tiles) : machine(machine), tiles(tiles) {}

  // Between DDR and the tiles, which have a port each.
  uint64_t ddrCycles(uint64_t bytes) const {
    const uint64_t bytesPer1000Cycles = std::min<uint64_t>(
        machine.ddr.totalBytesPer1000Cycles, uint64_t{1000} * tiles * machine.network.tilePortBytesPerCycle);
    return bytes * 1000 / bytesPer1000Cycles;
  }
  // The same where one of DDR's ports carries so many of them.
  uint64_t ddrCycles(uint64_t bytes, uint64_t bytesAtBusiestPort) const {
    return std::max(ddrCycles(bytes), bytesAtBusiestPort / machine.ddr.portBytesPerCycle);
  }

  // Into or out of the OCM of a tile.
  uint64_t tileCycles(uint64_t bytes) const { return bytes / machine.network.tilePortBytesPerCycle; }
  // What a tile gets from others, each of which tells it when its part is there.
  uint64_t arrivalCycles(uint64_t bytes, uint64_t partners) const {
    return tileCycles(bytes) + partners * machine.sync.semaphoreCycles;
  }

  // From the end of a task to the beginning of one that waits for it on a neighbouring tile.
  uint64_t handOverCycles() const { return machine.sync.semaphoreCycles + machine.network.hopCycles; }

private:
  const Machine &machine;
  unsigned tiles;
};

} // namespace tilerig
