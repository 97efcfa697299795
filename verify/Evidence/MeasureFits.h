// Facts about errors off the rails: a rectifier and the ends of eight bits spoil the fits of what is a plain
// offset or a plain factor everywhere else.
#pragma once

#include "verify/Evidence/MeasureFacts.h"

namespace tilerig::verify {

void measureFits(const Measured &measured, Facts &facts);

} // namespace tilerig::verify
