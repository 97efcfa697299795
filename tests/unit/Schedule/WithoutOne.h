// A stage with one synchronisation less, all else adapted: what would it be without it?
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

// Places of syncs, waits and barriers in a tile's list.
std::vector<size_t> synchronisationsOf(const std::vector<Instruction> &code);

// The stage without that one. A wait goes with its signal if no other waits for that, a barrier with those of
// all its members; `pending` of syncs and values of waits are such that everything else waits for what it
// waited for.
DeviceStage withoutOne(DeviceStage stage, unsigned tile, size_t index);

} // namespace tilerig::test
