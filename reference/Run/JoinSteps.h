// Operator fusion: finds element-wise nodes that a preceding operator can compute on its results (Finish.h).
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// Joins such nodes to the preceding steps of the plan, for runs that neither capture nor round the values
// between them. Constants must already be folded.
void joinSteps(Plan &plan, Threads &threads);

} // namespace tilerig::reference
