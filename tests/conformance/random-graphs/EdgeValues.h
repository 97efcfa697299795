// Edge values in random models: NaN, infinities, subnormals, and numbers whose sums or products overflow.
#pragma once

#include "tests/conformance/random-graphs/Trial.h"
#include "tests/support/Random.h"

namespace tilerig::meaning {

// Replaces one element in eight of most float inputs of the model by an edge value, such as NaN or infinity.
void putEdgesIntoInputs(Trial &trial, test::Random &random);
// Replaces one element in eight of some float constants by an edge value, such as NaN or infinity. The
// constants have two or more axes: vectors and scalars may be scales, bounds or sizes, for which the importer
// may refuse edge values.
void putEdgesIntoConstants(Trial &trial, test::Random &random);

} // namespace tilerig::meaning
