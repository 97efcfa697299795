#include "compiler/Planning/Quantisation/TensorStatistics.h"

#include "tests/support/Random.h"
#include "tests/unit/Precision/Values.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tilerig::test {
using namespace compiler;
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(TensorStatistics, OfNothing) {
  const TensorStatistics statistics;
  EXPECT_EQ(statistics.count(), 0u);
  EXPECT_EQ(statistics.minimum(), 0);
  EXPECT_EQ(statistics.maximum(), 0);
  EXPECT_EQ(statistics.nonFinite(), 0u);
}

TEST(TensorStatistics, CountsValues) {
  TensorStatistics statistics = statisticsOf({3, -0.0f, nan, -2.5f, 0, infinity, 1, -infinity});
  EXPECT_EQ(statistics.count(), 5u);
  EXPECT_EQ(statistics.nonFinite(), 3u);
  EXPECT_EQ(statistics.zeros(), 2u);
  EXPECT_EQ(statistics.minimum(), -2.5f);
  EXPECT_EQ(statistics.maximum(), 3);
}

TEST(TensorStatistics, OfNothingButNaN) {
  TensorStatistics statistics = statisticsOf(std::vector<float>(5000, nan));
  EXPECT_EQ(statistics.count(), 0u);
  EXPECT_EQ(statistics.nonFinite(), 5000u);
  EXPECT_EQ(statistics.maximum(), 0);
}

// Every value is counted in the histogram bin that the header file defines for it; the test computes this bin
// in double, one value at a time.
TEST(TensorStatistics, EveryValueIsInItsBin) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<float> values = randomValues(seed, 3000);
    const TensorStatistics statistics = statisticsOf(values);
    const Histogram &histogram = statistics.histogram();
    std::map<int, uint64_t> expected;
    double largest = 0;
    for (const float x : values) {
      const double k = std::floor(std::fabs(static_cast<double>(x)) / histogram.width());
      ++expected[static_cast<int>(x < 0 ? -1 - k : k)];
      largest = std::max(largest, std::fabs(static_cast<double>(x)));
    }
    for (int bin = -Histogram::binsPerSide; bin < Histogram::binsPerSide; ++bin)
      ASSERT_EQ(histogram.count(bin), expected.contains(bin) ? expected[bin] : 0) << bin << " seed " << seed;
    // The largest magnitude lies in the outer half of the histogram, so the histogram is no wider than
    // necessary.
    EXPECT_LT(largest, histogram.width() * Histogram::binsPerSide);
    EXPECT_GE(largest, histogram.width() * Histogram::binsPerSide / 2);
  }
}

TEST(TensorStatistics, NeitherOrderNorPortionsMatter) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> values = randomValues(seed, 20000);
    const TensorStatistics once = statisticsOf(values);
    Random random(seed);
    random.shuffle(values);
    TensorStatistics parts, left, right;
    for (size_t begin = 0; begin < values.size();) {
      const size_t size = std::min<size_t>(random.ragged(9000), values.size() - begin);
      const std::span part = std::span(values).subspan(begin, size);
      parts.add(part);
      (random.chance(50) ? left : right).add(part);
      begin += size;
    }
    EXPECT_EQ(parts, once);
    TensorStatistics other = right;
    other.merge(left);
    left.merge(right);
    EXPECT_EQ(left, once);
    EXPECT_EQ(other, once);
  }
}

TEST(TensorStatistics, DifferWhereAValueDoes) {
  EXPECT_NE(statisticsOf({1, 2, 3}), statisticsOf({1, 2, 4}));
  EXPECT_NE(statisticsOf({0, 1}), statisticsOf({0x1p-30f, 1}));
}

TEST(TensorStatistics, MergingNothingChangesNothing) {
  TensorStatistics statistics = statisticsOf({-1, -2}), nothing;
  const TensorStatistics before = statistics;
  statistics.merge(nothing);
  EXPECT_EQ(statistics, before);
  nothing.merge(before);
  EXPECT_EQ(nothing, before);
}

TEST(TensorStatistics, TheLeastAndTheLargestFloats) {
  const float least = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
  TensorStatistics statistics = statisticsOf({least, -least});
  EXPECT_EQ(statistics.histogram().count(0), 1u);
  EXPECT_EQ(statistics.histogram().count(-1), 1u);
  EXPECT_EQ(statistics.zeros(), 0u);
  statistics.add(std::vector{most, -most});
  EXPECT_EQ(statistics.histogram().count(0), 1u);
  EXPECT_EQ(statistics.histogram().count(-1), 1u);
  EXPECT_EQ(statistics.histogram().count(Histogram::binsPerSide - 1), 1u);
  EXPECT_EQ(statistics.histogram().count(-Histogram::binsPerSide), 1u);
}

TEST(TensorStatistics, OfEveryFloatType) {
  TensorStatistics statistics;
  ASSERT_TRUE(statistics.add(Tensor::of<float>({2}, {1, -1})));
  ASSERT_TRUE(statistics.add(Tensor::of<double>({1}, {2})));
  ASSERT_TRUE(statistics.add(Tensor::of<Float16>({1}, {{0x4200}})));  // 3 in fp16
  ASSERT_TRUE(statistics.add(Tensor::of<BFloat16>({1}, {{0xC080}}))); // -4 in bf16
  EXPECT_EQ(statistics, statisticsOfSamples({{1, -1}, {2}, {3}, {-4}}));
  auto refused = statistics.add(Tensor::of<int64_t>({1}, {5}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(refused.error().message(),
            "has element type int64; only floating-point tensors can be quantised");
}

} // namespace
} // namespace tilerig::test
