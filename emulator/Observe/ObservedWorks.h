// Captures and replacements as prepared operations (`Work`), so that the code that runs a stage need not
// distinguish them from instructions.
#pragma once

#include "emulator/Execute/Work.h"
#include "isa/Tensor/StridedCopy.h"

#include <vector>

namespace tilerig::emulator {

std::unique_ptr<Work> lookingWork(StridedCopy copy);
// An operation that runs `work` and then applies the changes.
std::unique_ptr<Work> changedWork(std::unique_ptr<Work> work, std::vector<StridedCopy> changes);

} // namespace tilerig::emulator
