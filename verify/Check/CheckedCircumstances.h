// What a check knows of a tensor besides its two sides: all that evidence can use
// (verify/Evidence/Circumstances.h).
#pragma once

#include "verify/Check/Check.h"

namespace tilerig::verify {

// How many other runs show what varies, of programs without a proof.
inline constexpr unsigned evidenceRuns = 2;

// Of the device against the oracle.
Circumstances circumstancesOf(const Check &check, const CheckRun &run, const CheckedTensor &tensor);

} // namespace tilerig::verify
