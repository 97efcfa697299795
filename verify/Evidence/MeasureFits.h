// Features about errors of elements that are not at the ends of their range. At the ends, a Relu or the
// saturation of 8-bit numbers distorts errors that elsewhere are a plain offset or factor.
#pragma once

#include "verify/Evidence/MeasureFeatures.h"

namespace tilerig::verify {

void measureFits(const Measured &measured, Features &features);

} // namespace tilerig::verify
