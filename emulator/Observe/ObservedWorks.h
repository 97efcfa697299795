// Looks and changes as works, so that whoever runs a stage need not know of them.
#pragma once

#include "emulator/Execute/Work.h"
#include "isa/Tensor/StridedCopy.h"

#include <vector>

namespace tilerig {

std::unique_ptr<Work> lookingWork(StridedCopy copy);
// The work, and then the changes.
std::unique_ptr<Work> changedWork(std::unique_ptr<Work> work, std::vector<StridedCopy> changes);

} // namespace tilerig
