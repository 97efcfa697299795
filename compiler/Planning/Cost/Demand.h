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
  // Cycles that the instructions of a primitive take on the busiest tile, by the timing model isa/Timing. If
  // the instructions transfer data, no less than the cycles that the shared resources (DDR, ports, links)
  // need.
  uint64_t cycles = 0;
  // Lower bound of `cycles` if all tiles share the work evenly. It counts the multiplications at peak rate,
  // or the bytes at DDR's full bandwidth. It is zero for instructions of the PE (vector engine) and for
  // transfers between tiles, which have no such bound.
  uint64_t leastCycles = 0;
};

struct LayerDemand {
  uint64_t macs = 0;
  Traffic traffic;
  // Cycles that the multiplications would take if all tiles worked at their peak rate.
  uint64_t peakCycles = 0;
  uint64_t ddrCycles = 0;                  // cycles to move the DDR bytes at DDR's full bandwidth
  uint64_t portCycles = 0, linkCycles = 0; // cycles of the busiest port, and of the busiest link
  // For each engine, the cycles that its instructions take if it never waits, on the tile where they take
  // longest.
  std::array<uint64_t, numEngines> engineCycles{};
  std::array<PrimitiveDemand, numPrimitives> primitives{};
};

// Resource demand of a set of tasks, whatever their order. `tiles` is the number of tiles of the program.
LayerDemand demandOf(const TaskList &tasks, const Machine &machine, unsigned tiles);

} // namespace tilerig::compiler
