// Inserts delay instructions in front of loads from DDR, so that tiles do not all access DDR at once.
//
// For each layer, a tile's first DDR read gets a delay instruction in front. The first tile that reads for
// the layer starts at once, the n-th tile after it n times `cycles` later. Delays change neither results nor
// freedom from races. So other delays may be set when the program is loaded (`tilerig run --delay`,
// `--delays-from`). Works on a stage that is already ordered and synchronised; the order does not change.
#pragma once

#include "compiler/Planning/Schedule/PlanSync.h"
#include "isa/Base/Support/Error.h"

namespace tilerig::compiler {

class LoadStagger {
public:
  // `cycles` is how much later each tile begins to read than the previous tile. If it is 0, the delays last
  // zero cycles, but can be set when the program is loaded.
  LoadStagger(const Machine &machine, uint32_t cycles) : machine(machine), cycles(cycles) {}

  // Adds delay instructions to the tasks and to the synchronisation plan of a stage. Their ids continue from
  // those of the previous stage.
  Status addTo(TaskList &tasks, SyncPlan &plan);

private:
  const Machine &machine;
  uint32_t cycles;
  uint32_t nextId = 0;
};

} // namespace tilerig::compiler
