// Facts about parts of a tensor: its channels, the part on each tile, its border.
//
// They tell bugs apart: loads that end too early make the last channels wrong; a wrong load for one tile,
// that tile's part; wrong weights, some channels that resemble nothing; wrong windows, all channels alike.
#pragma once

#include "verify/Evidence/MeasureFacts.h"

namespace tilerig::verify {

void measureParts(const Measured &measured, const Circumstances &circumstances, Facts &facts);

} // namespace tilerig::verify
