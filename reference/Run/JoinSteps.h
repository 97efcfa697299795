// Operator fusion: finds element-wise nodes that a preceding operator can compute on its results (Finish.h).
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// Fuses element-wise nodes into the steps of the plan that compute their inputs. Only for runs that neither
// capture nor round the values between them. Constants must already be folded.
void joinSteps(Plan &plan, Threads &threads);

} // namespace tilerig::reference
