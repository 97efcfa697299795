// Implementations of the methods of RangeMethod.h, each in its own file. The statistics must contain values,
// all of them finite. Ranges lie within the observed values; of two equally good ranges the wider one is
// chosen.
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"
#include "compiler/Planning/Quantisation/ValueRange.h"

namespace tilerig::compiler {

ValueRange minMaxRange(const TensorStatistics &statistics);
// Percentile method: the range ends at bin edges of the histogram, rounded outwards, so that it contains at
// least the requested share of the values. A higher percentile never gives a narrower range.
ValueRange percentileRange(const TensorStatistics &statistics, double percentile);
ValueRange entropyRange(const TensorStatistics &statistics);
ValueRange leastSquaresRange(const TensorStatistics &statistics);
// Average method: the mean of the samples' ranges, without the layer's ramp factor (RangeMethod.h).
ValueRange averageRange(const TensorStatistics &statistics);

} // namespace tilerig::compiler
