// How a range is chosen from what was seen: the names of the methods, and the way in.
//
//   min-max        all that was seen
//   percentile:P   without the (100 - P) / 2 percent of the values at each end
//   entropy        the clipping whose quantised distribution diverges least from the distribution
//   mse            the clipping with the least squared error
#pragma once

#include "compiler/Precision/TensorStatistics.h"
#include "compiler/Precision/ValueRange.h"

#include <string_view>

namespace tilerig {

struct RangeMethod {
  enum class Kind { minMax, percentile, entropy, leastSquares };
  Kind kind = Kind::minMax;
  double percentile = 99.99; // above 0, 100 at most; of its kind only

  bool operator==(const RangeMethod &) const = default;
};

// "percentile" alone is percentile:99.99. The error has no place: the caller knows where the text stood.
Result<RangeMethod> parseRangeMethod(std::string_view text);
// The text that parses to it.
std::string nameOf(const RangeMethod &method);

// Refuses, in the name of the tensor, one without values, and one with NaN or infinite values: a range chosen
// without them would hide that the network overflows on the samples. A tensor that is zero throughout has the
// range 0 ... 0.
Result<ValueRange> chooseRange(const std::string &tensor, const TensorStatistics &statistics,
                               const RangeMethod &method);

} // namespace tilerig
