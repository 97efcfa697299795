// Collects the side information that a check has about a tensor, beyond its reference and target values, for
// the evidence of the classifier (verify/Evidence/Circumstances.h).
#pragma once

#include "verify/Check/Check.h"

namespace tilerig::verify {

// For programs without a proof: number of additional runs that show which elements vary.
inline constexpr unsigned evidenceRuns = 2;

// For the comparison of the device with the oracle.
Circumstances circumstancesOf(const Check &check, const CheckRun &run, const CheckedTensor &tensor);

} // namespace tilerig::verify
