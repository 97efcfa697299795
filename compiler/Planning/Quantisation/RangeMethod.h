// Methods that choose the quantisation range of a tensor from its statistics.
//
//   min-max        the range from the smallest to the largest value
//   percentile:P   leaves out (100 - P) / 2 percent of the values at each end
//   entropy        clips so that quantisation changes the distribution of the values least
//   mse            clips so that the squared error is least
//   average:R      takes the minimum and maximum of each sample, and averages them over the samples. The
//                  range is then multiplied by a factor that rises evenly from 1 at the first layer to R at
//                  the last, since clipping costs most near the outputs
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"
#include "compiler/Planning/Quantisation/ValueRange.h"

#include <string_view>

namespace tilerig::compiler {

struct RangeMethod {
  enum class Kind { minMax, percentile, entropy, leastSquares, average };
  Kind kind = Kind::minMax;
  double percentile = 99.99; // for the method percentile only: the percentage, above 0 and up to 100
  // for the method average only: the factor of the range at the last layer, from 1 to 16
  double ramp = 1;

  bool operator==(const RangeMethod &) const = default;
};

// The method that a text names. "percentile" means percentile:99.99, and "average" means average:1, whose
// factor is 1 at all layers. An error does not name the file or option that contains the text: the caller has
// to add it.
Result<RangeMethod> parseRangeMethod(std::string_view text);
// The text that stands for a method; parseRangeMethod() converts it back to the same method.
std::string nameOf(const RangeMethod &method);

// Refuses a tensor without values or with NaN or infinite values, and names it: a range that ignored NaN and
// infinities would hide that the network overflows on the samples. A tensor that is zero throughout has the
// range [0, 0]. `depth`: position of the tensor between the first layer (0) and the last (1).
Result<ValueRange> chooseRange(const std::string &tensor, const TensorStatistics &statistics,
                               const RangeMethod &method, double depth = 0);

} // namespace tilerig::compiler
