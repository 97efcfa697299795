// Features about errors of elements that are not at the ends of their range. A rectifier or the saturation of
// eight bits distorts the fit of an error that is a plain offset or factor elsewhere.
#pragma once

#include "verify/Evidence/MeasureFeatures.h"

namespace tilerig::verify {

void measureFits(const Measured &measured, Features &features);

} // namespace tilerig::verify
