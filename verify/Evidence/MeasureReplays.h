// Features from replays: some wrong elements of a sum of products are recomputed with one change, such as
// mirrored weights, an input read from a neighbouring address, or no bias, and compared with the target.
//
// A feature stands for a family of such changes. Its value is that of the best member: the share of the wrong
// elements whose error it reduces to less than a quarter. What the layer computes from the sum need not be
// known, because the function from sums to results is fitted to the reference.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/MeasureFeatures.h"

namespace tilerig::verify {

void measureReplays(const Measured &measured, const Circumstances &circumstances, Features &features);

// Tells which wrong elements each family of similar mistakes explains. In each family, the mistake that
// explains most elements of a sample is then tested on all wrong elements.
std::vector<Explanation> replayWrongElements(const WrongElements &wrong, const Circumstances &circumstances);

} // namespace tilerig::verify
