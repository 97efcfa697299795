// Facts about what explains the errors of a sum of products: some wrong elements are computed again, each
// time with one thing otherwise - weights mirrored, the input read beside where it lies, no bias - and what
// then comes is compared with what came.
//
// A fact is a family of such changes, and its number how far the best of them leads: the share of the wrong
// elements whose error it leaves less than a quarter of. Nobody has to know what follows the sum: how results
// depend on sums is read off the reference.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/MeasureFacts.h"

namespace tilerig::verify {

void measureReplays(const Measured &measured, const Circumstances &circumstances, Facts &facts);

// The best member of each family, chosen as for the facts, on every element.
std::vector<Explanation> replayWrongElements(const WrongElements &wrong, const Circumstances &circumstances);

} // namespace tilerig::verify
