#include "compiler/Planning/Quantisation/RangeSearch.h"

namespace tilerig::compiler {

// Visits the bins of the histogram from the bin `from` inwards, in steps of `step`, and returns the first bin
// at which the number of values visited exceeds `cut`.
static int firstKept(const Histogram &histogram, int from, int step, double cut) {
  double beyond = 0;
  int bin = from;
  for (int seen = 1; seen < 2 * Histogram::binsPerSide; ++seen, bin += step) {
    beyond += static_cast<double>(histogram.count(bin));
    if (beyond > cut)
      break;
  }
  return bin;
}

ValueRange percentileRange(const TensorStatistics &statistics, double percentile) {
  const Histogram &histogram = statistics.histogram();
  const double cut = static_cast<double>(statistics.count()) * ((100 - percentile) / 200);
  const int lowest = firstKept(histogram, -Histogram::binsPerSide, 1, cut);
  const int highest = firstKept(histogram, Histogram::binsPerSide - 1, -1, cut);
  const ValueRange all = minMaxRange(statistics);
  // Both ends of the range are limited to the observed values, and the range must contain zero.
  const double low = lowest * histogram.width(), high = (highest + 1) * histogram.width();
  return {static_cast<float>(std::clamp<double>(low, all.low, 0)),
          static_cast<float>(std::clamp<double>(high, 0, all.high))};
}

} // namespace tilerig::compiler
