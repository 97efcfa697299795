// Random values for tests of calibration, distributed like activations of networks.
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tilerig::test {
using namespace compiler;

inline TensorStatistics statisticsOf(const std::vector<float> &values) {
  TensorStatistics statistics;
  statistics.add(values);
  return statistics;
}

// Statistics of several samples; each sample has its own minimum and maximum.
inline TensorStatistics statisticsOfSamples(const std::vector<std::vector<float>> &samples) {
  TensorStatistics statistics;
  for (const std::vector<float> &values : samples) {
    Tensor sample(DType::f32, {static_cast<int64_t>(values.size())});
    std::ranges::copy(values, sample.mutableAs<float>().begin());
    EXPECT_TRUE(statistics.add(sample));
  }
  return statistics;
}

// A roughly normal random number of mean 0 and standard deviation 1, as a sum of 12 uniform ones.
inline double bell(Random &random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

// Random values of a kind chosen by the seed: bell-shaped, with outliers, like ReLU outputs, one-sided, or
// few distinct ones; of any magnitude.
inline std::vector<float> randomValues(uint64_t seed, size_t count) {
  Random random(seed);
  const double size = std::exp2(static_cast<double>(random.between(-20, 20)));
  std::vector<float> values;
  while (values.size() < count) {
    double x = bell(random);
    switch (seed % 5) {
    case 1:
      x *= random.chance(1) ? 30 : 1;
      break;
    case 2:
      x = std::max(x, 0.0);
      break;
    case 3:
      x = -std::fabs(x) - 0.01;
      break;
    case 4:
      x = std::round(x * 3);
      break;
    }
    values.push_back(static_cast<float>(x * size));
  }
  return values;
}

} // namespace tilerig::test
