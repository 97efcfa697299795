// What calibration keeps of a tensor: enough to choose a range for it, however many batches there were, and
// of no batch the values.
//
// Everything here is a function of the values that were added: their order, and how they came in portions, do
// not matter.
#pragma once

#include "compiler/Precision/Histogram.h"
#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"

#include <map>
#include <string>
#include <vector>

namespace tilerig {

class TensorStatistics {
public:
  void add(std::span<const float> values);
  // What one sample has of the tensor. Of a float type; others are refused.
  Status add(const Tensor &tensor);
  void merge(const TensorStatistics &other);

  // Of finite values. Minimum and maximum are 0 where there are none.
  uint64_t count() const { return finite; }
  float minimum() const { return finite ? low : 0; }
  float maximum() const { return finite ? high : 0; }
  // The means of the samples' minima and maxima. Of values that were not added by sample, those of all.
  float meanMinimum() const;
  float meanMaximum() const;
  // Values that are exactly 0, of either sign; the histogram has them too.
  uint64_t zeros() const { return exactZeros; }
  const Histogram &histogram() const { return bins; }

  // NaN and infinite values, which are in nothing of the above.
  uint64_t nonFinite() const { return others; }

  bool operator==(const TensorStatistics &) const = default;

private:
  void addPortion(std::span<const float> values);

  uint64_t finite = 0, exactZeros = 0, others = 0;
  float low = 0, high = 0;
  std::vector<float> sampleLows, sampleHighs; // ascending; of samples that have finite values
  Histogram bins;
};

using StatisticsByName = std::map<std::string, TensorStatistics, std::less<>>;

} // namespace tilerig
