// Finds the element-wise nodes whose work an operator before them can do on the way (Finish.h).
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// For runs in which nobody looks at the values in between, and nothing is rounded there. Nodes must have been
// folded.
void joinSteps(Plan &plan, Threads &threads);

} // namespace tilerig::reference
