// Resource demand of a layer: multiplications, bytes, and the cycles of the busiest engine, port and link.
// All lower bounds of a layer's time are computed from these numbers.
#pragma once

#include "compiler/Planning/Cost/Primitive.h"
#include "compiler/Planning/Schedule/Task.h"
#include "isa/Timing/Traffic.h"

namespace tilerig::compiler {

struct PrimitiveDemand {
  uint64_t instructions = 0;
  uint64_t macs = 0;
  // Cycles of the primitive's instructions on the busiest tile, by the timing model isa/Timing. For
  // transfers, no less than the cycles that the shared resources (DDR, ports, links) need.
  uint64_t cycles = 0;
  // Lower bound of `cycles`, reached if all tiles share the work evenly: the cycles of the multiplications
  // at peak rate, or of the bytes at DDR's full bandwidth. Zero for instructions of the PE (vector engine)
  // and for exchanges between tiles, for which no such bound exists.
  uint64_t leastCycles = 0;
};

struct LayerDemand {
  uint64_t macs = 0;
  Traffic traffic;
  // Cycles that the multiplications would take if all tiles worked at their peak rate.
  uint64_t peakCycles = 0;
  uint64_t ddrCycles = 0;                  // cycles to move the DDR bytes at DDR's full bandwidth
  uint64_t portCycles = 0, linkCycles = 0; // cycles of the busiest port, and of the busiest link
  // Cycles of the instructions of each engine, on the tile where they take longest, if the engine never
  // waits.
  std::array<uint64_t, numEngines> engineCycles{};
  std::array<PrimitiveDemand, numPrimitives> primitives{};
};

// Resource demand of a set of tasks, whatever their order. `tiles` is the number of tiles of the program.
LayerDemand demandOf(const TaskList &tasks, const Machine &machine, unsigned tiles);

} // namespace tilerig::compiler
