#include "isa/Numerics/Normalise.h"

#include "isa/Numerics/Reduce.h"

#include <cassert>
#include <cmath>

namespace tilerig {

RowMoments rowMoments(std::span<const float> row, Normalisation normalisation, float epsilon) {
  const bool centred = normalisation == Normalisation::meanAndVariance;
  const float centre = centred ? mean(row) : 0;
  float squares = 0;
  for (const float x : row) {
    const float d = centred ? x - centre : x;
    squares = std::fma(d, d, squares);
  }
  const float variance = squares / static_cast<float>(row.size());
  return {centre, 1 / std::sqrt(variance + epsilon)};
}

static float parameter(std::span<const float> values, size_t i, float absent) {
  return values.empty() ? absent : values[values.size() == 1 ? 0 : i];
}

void normalise(std::span<const float> row, Normalisation normalisation, float epsilon,
               std::span<const float> gain, std::span<const float> shift, std::span<float> out) {
  assert(row.size() == out.size());
  assert(gain.size() <= 1 || gain.size() == row.size());
  assert(shift.size() <= 1 || shift.size() == row.size());
  const auto [centre, inverse] = rowMoments(row, normalisation, epsilon);
  const bool centred = normalisation == Normalisation::meanAndVariance;
  for (size_t i = 0; i < row.size(); ++i) {
    const float d = centred ? row[i] - centre : row[i];
    out[i] = std::fma(d * inverse, parameter(gain, i, 1), parameter(shift, i, 0));
  }
}

} // namespace tilerig
