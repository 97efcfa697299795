// Implementations of the methods of RangeMethod.h, each in its own file. The statistics must contain values,
// all of them finite. Ranges lie within the observed values; of two equally good ranges the wider one is
// chosen.
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"
#include "compiler/Planning/Quantisation/ValueRange.h"

namespace tilerig::compiler {

ValueRange minMaxRange(const TensorStatistics &statistics);
// Percentile method. The ends of the range are edges of histogram bins, rounded outwards, so that the range
// contains at least the requested share of the values. A higher percentile never gives a narrower range.
ValueRange percentileRange(const TensorStatistics &statistics, double percentile);
ValueRange entropyRange(const TensorStatistics &statistics);
ValueRange leastSquaresRange(const TensorStatistics &statistics);
// Average method: the mean of the ranges that the tensor has in the single samples. The factor that depends
// on the layer (RangeMethod.h) is applied later.
ValueRange averageRange(const TensorStatistics &statistics);

} // namespace tilerig::compiler
