// What a layer asks of the machine: multiplications, bytes, and the time of whatever has most of them to do.
// Everything that bounds the time of a layer is a function of these.
#pragma once

#include "compiler/Cost/Primitive.h"
#include "compiler/Schedule/Task.h"
#include "isa/Timing/Traffic.h"

namespace tilerig {

struct PrimitiveDemand {
  uint64_t instructions = 0;
  uint64_t macs = 0;
  // By isa/Timing: of the tile that has the most; if it moves, no less than the shared ways take for it.
  uint64_t cycles = 0;
  // The least that all tiles together need: multiplications at the peak, bytes at DDR's full bandwidth. Zero
  // of what the PE does and of exchanges, for which there is no such figure.
  uint64_t leastCycles = 0;
};

struct LayerDemand {
  uint64_t macs = 0;
  Traffic traffic;
  uint64_t peakCycles = 0;                         // of the multiplications, all tiles at their peak
  uint64_t ddrCycles = 0;                          // of the bytes, DDR at its full bandwidth
  uint64_t portCycles = 0, linkCycles = 0;         // of the port and the link with the most bytes
  std::array<uint64_t, numEngines> engineCycles{}; // of the tile that has the most, as if it never waited
  std::array<PrimitiveDemand, numPrimitives> primitives{};
};

// Of tasks that run one after the other or side by side. `tiles`: those that the program has.
LayerDemand demandOf(const TaskList &tasks, const Machine &machine, unsigned tiles);

} // namespace tilerig
