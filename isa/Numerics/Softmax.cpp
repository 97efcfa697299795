#include "isa/Numerics/Softmax.h"

#include "isa/Numerics/Formulas/Logarithm-inl.h"
#include "isa/Numerics/Reduce.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace tilerig {

void softmax(std::span<const float> row, std::span<float> out) {
  assert(row.size() == out.size());
  expDifference(row, maximum(row), out);
  double sum = 0;
  for (const float e : out)
    sum += e;
  const auto total = static_cast<float>(sum);
  for (float &y : out)
    y = y / total;
}

// log(sum of exp(x - top)) over the elements x of a row, where `top` is the maximum of the row. A buffer for
// the whole row is not needed: the exponentials are computed in blocks, and the sum runs over all of them in
// order.
static double logOfSum(std::span<const float> row, float top) {
  std::array<float, 256> piece;
  double total = 0;
  for (size_t i = 0; i < row.size(); i += piece.size()) {
    const auto part = row.subspan(i, std::min(piece.size(), row.size() - i));
    const auto exponentials = std::span(piece).first(part.size());
    expDifference(part, top, exponentials);
    for (const float e : exponentials)
      total += e;
  }
  return HWY_NAMESPACE::naturalLogarithm(total);
}

void logSoftmax(std::span<const float> row, std::span<float> out) {
  assert(row.size() == out.size());
  const float top = maximum(row);
  const double log = logOfSum(row, top);
  for (size_t i = 0; i < row.size(); ++i) {
    const double y = (static_cast<double>(row[i]) - static_cast<double>(top)) - log;
    out[i] = HWY_NAMESPACE::withOneNan(static_cast<float>(y));
  }
}

float logSumExp(std::span<const float> row) {
  const float top = maximum(row);
  return HWY_NAMESPACE::withOneNan(static_cast<float>(static_cast<double>(top) + logOfSum(row, top)));
}

} // namespace tilerig
