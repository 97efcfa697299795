// Features about parts of a tensor: its channels, the part on each tile, its border.
//
// These features tell bugs apart. Loads that end too early make the last channels wrong. A wrong load for one
// tile makes that tile's part wrong. Wrong weights make some channels unlike any right channel. A wrong
// stride or padding affects all channels alike.
#pragma once

#include "verify/Evidence/MeasureFeatures.h"

namespace tilerig::verify {

void measureParts(const Measured &measured, const Circumstances &circumstances, Features &features);

} // namespace tilerig::verify
