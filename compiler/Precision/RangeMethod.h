// How a range is chosen from what was seen: the names of the methods, and the way in.
//
//   min-max        all that was seen
//   percentile:P   without the (100 - P) / 2 percent of the values at each end
//   entropy        the clipping whose quantised distribution diverges least from the distribution
//   mse            the clipping with the least squared error
//   average:R      the mean of the samples' minima, and of their maxima, times a factor that rises evenly
//                  from 1 at the first layer to R at the last, since clipping costs most near the outputs
#pragma once

#include "compiler/Precision/TensorStatistics.h"
#include "compiler/Precision/ValueRange.h"

#include <string_view>

namespace tilerig {

struct RangeMethod {
  enum class Kind { minMax, percentile, entropy, leastSquares, average };
  Kind kind = Kind::minMax;
  double percentile = 99.99; // above 0, 100 at most; of its kind only
  double ramp = 1;           // 1 to 16: at the last layer; of averages only

  bool operator==(const RangeMethod &) const = default;
};

// "percentile" alone is percentile:99.99, "average" alone average:1, without a ramp. The error has no place:
// the caller knows where the text stood.
Result<RangeMethod> parseRangeMethod(std::string_view text);
// The text that parses to it.
std::string nameOf(const RangeMethod &method);

// Refuses, in the name of the tensor, one without values, and one with NaN or infinite values: a range chosen
// without them would hide that the network overflows on the samples. A tensor that is zero throughout has the
// range 0 ... 0. `depth` is where the tensor stands between the first layer (0) and the last (1).
Result<ValueRange> chooseRange(const std::string &tensor, const TensorStatistics &statistics,
                               const RangeMethod &method, double depth = 0);

} // namespace tilerig
