// Features about parts of a tensor: its channels, the part on each tile, its border.
//
// These features tell bugs apart: for example, a load that ends too early makes the last channels wrong, and
// a wrong load for one tile makes the part of that tile wrong.
#pragma once

#include "verify/Evidence/MeasureFeatures.h"

namespace tilerig::verify {

void measureParts(const Measured &measured, const Circumstances &circumstances, Features &features);

} // namespace tilerig::verify
