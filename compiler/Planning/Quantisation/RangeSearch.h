// Implementations of the methods of RangeMethod.h, each in its own file. The statistics must contain values,
// all of them finite. Ranges lie within the observed values; of two equally good ranges the wider one is
// chosen.
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"
#include "compiler/Planning/Quantisation/ValueRange.h"

namespace tilerig::compiler {

ValueRange minMaxRange(const TensorStatistics &statistics);
// The range ends at bin edges of the histogram, rounded outwards, so that it contains at least the requested
// part of the values; a higher percentile never gives a narrower range.
ValueRange percentileRange(const TensorStatistics &statistics, double percentile);
ValueRange entropyRange(const TensorStatistics &statistics);
ValueRange leastSquaresRange(const TensorStatistics &statistics);
// The mean of the samples' ranges. The caller multiplies it by the ramp factor of the layer (RangeMethod.h).
ValueRange averageRange(const TensorStatistics &statistics);

} // namespace tilerig::compiler
