// Removes one synchronisation from a stage and adapts the rest, to test whether the synchronisation is
// needed.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

// Indices of the syncs, waits and barriers in the code of a tile.
std::vector<size_t> synchronisationsOf(const std::vector<Instruction> &code);

// The stage without the synchronisation at `index` in the code of `tile`. If a wait is removed, its signal is
// removed too unless another wait needs it; a barrier is removed from all its members. Fields `pending` of
// syncs and values of waits are adapted, so that every other synchronisation still waits for the same
// instructions.
DeviceStage withoutOne(DeviceStage stage, unsigned tile, size_t index);

} // namespace tilerig::test
