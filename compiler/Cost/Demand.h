// Resource demand of a layer: multiplications, bytes, and the cycles of the busiest engine, port and link.
// All bounds of a layer's time are computed from these numbers.
#pragma once

#include "compiler/Cost/Primitive.h"
#include "compiler/Schedule/Task.h"
#include "isa/Timing/Traffic.h"

namespace tilerig::compiler {

struct PrimitiveDemand {
  uint64_t instructions = 0;
  uint64_t macs = 0;
  // Cycles of these instructions on the busiest tile, as isa/Timing states them; for transfers, no less than
  // the shared resources (DDR, ports, links) need.
  uint64_t cycles = 0;
  // Lower bound of the cycles if all tiles share the work evenly: multiplications at peak rate, bytes at
  // DDR's full bandwidth. Zero for PE instructions and exchanges, which have no such bound.
  uint64_t leastCycles = 0;
};

struct LayerDemand {
  uint64_t macs = 0;
  Traffic traffic;
  // Cycles of the multiplications at the peak rate of all tiles.
  uint64_t peakCycles = 0;
  uint64_t ddrCycles = 0;                  // cycles to move the DDR bytes at DDR's full bandwidth
  uint64_t portCycles = 0, linkCycles = 0; // cycles of the busiest port and of the busiest link
  // For each engine the cycles on its busiest tile, if the engine never waits.
  std::array<uint64_t, numEngines> engineCycles{};
  std::array<PrimitiveDemand, numPrimitives> primitives{};
};

// Demand of a set of tasks in any order. `tiles`: number of tiles of the program.
LayerDemand demandOf(const TaskList &tasks, const Machine &machine, unsigned tiles);

} // namespace tilerig::compiler
