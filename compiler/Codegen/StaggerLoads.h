// Delays in front of loads from DDR, so that tiles need not all ask for it at once.
//
// Every tile's first read of DDR for a layer gets a delay instruction in its DMA engine's queue, behind
// everything that the read waits for. The first tile that reads for the layer starts at once, the n-th behind
// it n times the given amount later. Delays order nothing, so the bits and the proof are the same for any
// amount; the loader may set others by id (`tilerig run --delay`, `--delays-from`).
//
// Works on a stage that is ordered and synchronised: the order does not change.
#pragma once

#include "compiler/Schedule/PlanSync.h"
#include "isa/Support/Error.h"

namespace tilerig {

class LoadStagger {
public:
  // `cycles` between the starts of two tiles; 0 only makes the places, for amounts that the loader sets.
  LoadStagger(const Machine &machine, uint32_t cycles) : machine(machine), cycles(cycles) {}

  // Adds the delays to the tasks of the stage and to its plan. Their ids count on from stage to stage.
  Status addTo(TaskList &tasks, SyncPlan &plan);

private:
  const Machine &machine;
  uint32_t cycles;
  uint32_t nextId = 0;
};

} // namespace tilerig
