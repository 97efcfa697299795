// Quantised tensors of random graphs.
#pragma once

#include "tests/support/RandomModel/Graph.h"

namespace tilerig::test {

// Names of a scale and a zero point, and the scale itself.
struct Grid {
  std::string scale, zero;
  double step;
};
struct QuantisedValue {
  RandomValue value;
  Grid grid;
};
// Names of the integers, the scales and the zero points, and the largest scale.
struct QuantisedWeights {
  std::string elements, scales, zeros;
  double step;
};

// A grid for real numbers of this magnitude.
Grid drawGrid(RandomGraph &graph, DType type, double size);
QuantisedValue quantised(RandomGraph &graph, const RandomValue &x, DType type);
RandomValue dequantised(RandomGraph &graph, const std::string &name, const Shape &shape, const Grid &grid);
// Constant weights of sums of `terms` products. They have one scale, or one for each of `outputs`.
QuantisedWeights drawWeights(RandomGraph &graph, DType type, const Shape &shape, int64_t outputs,
                             int64_t terms);

} // namespace tilerig::test
