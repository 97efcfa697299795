// Operator fusion: finds element-wise nodes that a preceding operator can compute on its results (Finish.h).
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// For runs that do not capture or round the intermediate values. Constants must already be folded.
void joinSteps(Plan &plan, Threads &threads);

} // namespace tilerig::reference
