// Facts about parts of a tensor: its channels, what each tile has of it, its border.
//
// Loads that end too early leave the last channels wrong, loads for one tile that tile's part, wrong weights
// some channels that resemble nothing, wrong windows all of them alike.
#pragma once

#include "verify/Evidence/MeasureFacts.h"

namespace tilerig::verify {

void measureParts(const Measured &measured, const Circumstances &circumstances, Facts &facts);

} // namespace tilerig::verify
