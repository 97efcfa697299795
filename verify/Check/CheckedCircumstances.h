// Collects what a check knows about a tensor beyond its expected and computed values. The classifier's inputs
// are measured from it (verify/Evidence/Circumstances.h).
#pragma once

#include "verify/Check/Check.h"

namespace tilerig::verify {

// Number of additional runs, with other latencies, of a program that is not proved free of races. They show
// which elements depend on timing.
inline constexpr unsigned evidenceRuns = 2;

// Collects what is known about a tensor besides its values, for comparing the device's tensor with the
// expected one (the oracle's).
Circumstances circumstancesOf(const Check &check, const CheckRun &run, const CheckedTensor &tensor);

} // namespace tilerig::verify
