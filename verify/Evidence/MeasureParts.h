// Facts about parts of a tensor: its channels, the part on each tile, its border.
//
// These facts tell bugs apart. Loads that end too early make the last channels wrong. A wrong load for one
// tile makes that tile's part wrong. Wrong weights make some channels resemble nothing. Wrong windows affect
// all channels alike.
#pragma once

#include "verify/Evidence/MeasureFacts.h"

namespace tilerig::verify {

void measureParts(const Measured &measured, const Circumstances &circumstances, Facts &facts);

} // namespace tilerig::verify
