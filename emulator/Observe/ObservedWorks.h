// Captures and replacements as prepared operations (`Work`), so that the code that runs a stage need not
// distinguish them from instructions.
#pragma once

#include "emulator/Execute/Work.h"
#include "isa/Base/Tensor/StridedCopy.h"

#include <vector>

namespace tilerig::emulator {

std::unique_ptr<Work> capturingWork(StridedCopy copy);
// An operation that runs `work` and then the copies `changes`, which replace values that `work` computed.
std::unique_ptr<Work> changedWork(std::unique_ptr<Work> work, std::vector<StridedCopy> changes);

} // namespace tilerig::emulator
