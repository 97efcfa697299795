// Collects what a check knows about a tensor beyond its expected and computed values. The classifier's inputs
// are measured from it (verify/Evidence/Circumstances.h).
#pragma once

#include "verify/Check/Check.h"

namespace tilerig::verify {

// Number of additional runs, with other latencies, of a program that is not proved free of races. They show
// which elements depend on timing.
inline constexpr unsigned evidenceRuns = 2;

// Collects the side information for comparing a tensor of the device with the expected tensor (the oracle's).
Circumstances circumstancesOf(const Check &check, const CheckRun &run, const CheckedTensor &tensor);

} // namespace tilerig::verify
