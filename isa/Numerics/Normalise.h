// Layer, instance, group and root-mean-square normalisation of one row, in one fixed order of fp32
// operations.
//
//   n = number of elements, rounded to fp32; all sums ascending
//   mean = fl(sum(x) / n)                        0 for root mean square
//   d[i] = fl(x[i] - mean)                       x[i] for root mean square
//   variance = fl(sum of squares of d / n)       the sum by acc = fmaf(d, d, acc) from +0
//   inverse = fl(1 / fl(sqrt(fl(variance + epsilon))))
//   y[i] = fmaf(fl(d[i] * inverse), gain[i], shift[i])
//
// fl() is one rounding to fp32. A gain that is absent is 1, a shift that is absent +0. The output may be the
// input.
#pragma once

#include <span>

namespace tilerig {

enum class Normalisation { meanAndVariance, rootMeanSquare };

// The two values that normalise a row: its mean, and the factor by which the differences from it are
// multiplied.
struct RowMoments {
  float mean, inverse;
};
RowMoments rowMoments(std::span<const float> row, Normalisation normalisation, float epsilon);

// `gain` and `shift` each have one element per element of the row, a single element for all, or none.
void normalise(std::span<const float> row, Normalisation normalisation, float epsilon,
               std::span<const float> gain, std::span<const float> shift, std::span<float> out);

} // namespace tilerig
