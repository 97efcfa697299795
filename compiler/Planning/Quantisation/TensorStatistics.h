// Statistics of a tensor for calibration. They suffice to choose a range after any number of batches, without
// storing the values.
//
// The statistics do not depend on the order of values and samples, or on the portions in which values are
// added.
#pragma once

#include "compiler/Planning/Quantisation/Histogram.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

#include <map>
#include <string>
#include <vector>

namespace tilerig::compiler {

class TensorStatistics {
public:
  void add(std::span<const float> values);
  // Adds the tensor's values in one sample. Refuses tensors that are not of a float type.
  Status add(const Tensor &tensor);
  void merge(const TensorStatistics &other);

  // Count, minimum and maximum of the finite values; minimum and maximum are 0 if there are none.
  uint64_t count() const { return finite; }
  float minimum() const { return finite ? low : 0; }
  float maximum() const { return finite ? high : 0; }
  // The mean of the minima that the tensor has in the single samples, and the mean of its maxima. If values
  // were not added by sample, the minimum and maximum of all values instead.
  float meanMinimum() const;
  float meanMaximum() const;
  // How many values are 0 or -0; the histogram counts them as well.
  uint64_t zeros() const { return exactZeros; }
  const Histogram &histogram() const { return bins; }

  // How many values are NaN or infinite; all other statistics ignore them.
  uint64_t nonFinite() const { return others; }

  bool operator==(const TensorStatistics &) const = default;

private:
  void addPortion(std::span<const float> values);

  uint64_t finite = 0, exactZeros = 0, others = 0;
  float low = 0, high = 0;
  // the tensor's minima and maxima in the single samples, in ascending order
  std::vector<float> sampleLows, sampleHighs;
  Histogram bins;
};

using StatisticsByName = std::map<std::string, TensorStatistics, std::less<>>;

} // namespace tilerig::compiler
