// Cost estimates of data movement from the machine's bandwidths, to compare splits and placements before
// instructions exist. Results are whole cycles, rounded down. Exact times: isa/Timing for one instruction,
// isa/Timeline for many.
#pragma once

#include "isa/Machine/Machine.h"

#include <algorithm>
#include <cstdint>

namespace tilerig::compiler {

class MovementCosts {
public:
  // `tiles`: number of tiles of the program.
  MovementCosts(const Machine &machine, unsigned tiles) : machine(machine), tiles(tiles) {}

  // Cycles to move bytes between DDR and the tiles; limited by DDR's bandwidth or by the tiles' ports.
  uint64_t ddrCycles(uint64_t bytes) const {
    const uint64_t bytesPer1000Cycles = std::min<uint64_t>(
        machine.ddr.totalBytesPer1000Cycles, uint64_t{1000} * tiles * machine.network.tilePortBytesPerCycle);
    return bytes * 1000 / bytesPer1000Cycles;
  }
  // Cycles to move bytes between DDR and the tiles; limited by DDR's bandwidth, by the tiles' ports, and by
  // the DDR port that carries the most bytes.
  uint64_t ddrCycles(uint64_t bytes, uint64_t bytesAtBusiestPort) const {
    return std::max(ddrCycles(bytes), bytesAtBusiestPort / machine.ddr.portBytesPerCycle);
  }

  // Cycles to move bytes into or out of one tile's OCM (on-chip memory).
  uint64_t tileCycles(uint64_t bytes) const { return bytes / machine.network.tilePortBytesPerCycle; }
  // Cycles until a tile has received `bytes` in total from `partners` other tiles, each of which signals the
  // end of its transfer.
  uint64_t arrivalCycles(uint64_t bytes, uint64_t partners) const {
    return tileCycles(bytes) + partners * machine.sync.semaphoreCycles;
  }

  // Cycles from the end of a task until a task on a neighbouring tile, which waits for it, starts.
  uint64_t handOverCycles() const { return machine.sync.semaphoreCycles + machine.network.hopCycles; }

private:
  const Machine &machine;
  unsigned tiles;
};

} // namespace tilerig::compiler
