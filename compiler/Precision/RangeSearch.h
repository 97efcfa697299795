// The methods of RangeMethod.h, a file each. Statistics have values, all of them finite. Ranges lie within
// what was seen; where two are equally good, it is the wider.
#pragma once

#include "compiler/Precision/TensorStatistics.h"
#include "compiler/Precision/ValueRange.h"

namespace tilerig {

ValueRange minMaxRange(const TensorStatistics &statistics);
// Ends at edges of bins, outwards, so never less than asked for is kept; a higher percentile never gives a
// narrower range.
ValueRange percentileRange(const TensorStatistics &statistics, double percentile);
ValueRange entropyRange(const TensorStatistics &statistics);
ValueRange leastSquaresRange(const TensorStatistics &statistics);
// Of what each sample has, the mean.
ValueRange averageRange(const TensorStatistics &statistics);

} // namespace tilerig
