// Captures and replacements as prepared operations (`PreparedOp`), so that the code that runs a stage need not
// distinguish them from instructions.
#pragma once

#include "emulator/Execute/PreparedOp.h"
#include "isa/Base/Tensor/StridedCopy.h"

#include <vector>

namespace tilerig::emulator {

std::unique_ptr<PreparedOp> capturingOp(StridedCopy copy);
// An operation that runs `op` and then the copies `changes`, which replace values that `op` computed.
std::unique_ptr<PreparedOp> changedOp(std::unique_ptr<PreparedOp> op, std::vector<StridedCopy> changes);

} // namespace tilerig::emulator
