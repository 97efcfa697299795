// Tests of the random numbers of the zoo: published values of the generator, and moments of the
// distributions.
#include "models/Weights/Random.h"
#include "models/Weights/Pictures.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tilerig::models {
namespace {

// The first numbers of SplitMix64 from state 0 equal those that its reference implementation prints.
TEST(Random, SplitMixGivesItsPublishedNumbers) {
  SplitMix64 random(0);
  for (uint64_t number : {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu})
    EXPECT_EQ(random.next(), number);
}

struct Moments {
  double mean = 0, square = 0, fourth = 0, most = 0;
};

template <class F>
Moments momentsOf(int64_t count, F f) {
  Moments moments;
  for (int64_t i = 0; i < count; ++i) {
    double value = f(i), square = value * value;
    moments.mean += value / static_cast<double>(count);
    moments.square += square / static_cast<double>(count);
    moments.fourth += square * square / static_cast<double>(count);
    moments.most = std::max(moments.most, std::abs(value));
  }
  return moments;
}

// `bell` sums eight uniform numbers: variance 1, fourth moment 3 - 1.2 / 8, range up to the root of 24. A
// million draws estimate the moments to a few thousandths.
TEST(Random, NormalNumbersHaveTheirMoments) {
  RandomStream stream(7, "bell");
  Moments moments = momentsOf(1'000'000, [&](int64_t i) { return stream.bell(i); });
  EXPECT_NEAR(moments.mean, 0, 0.005);
  EXPECT_NEAR(moments.square, 1, 0.01);
  EXPECT_NEAR(moments.fourth, 2.85, 0.05);
  EXPECT_GT(moments.most, 4);
  EXPECT_LT(moments.most, std::sqrt(24.0));
}

TEST(Random, AUniformNumberHasItsMoments) {
  RandomStream stream(7, "uniform");
  Moments moments = momentsOf(1'000'000, [&](int64_t i) { return stream.uniform(i); });
  EXPECT_NEAR(moments.mean, 0, 0.005);
  EXPECT_NEAR(moments.square, 1 / 3.0, 0.005);
  EXPECT_NEAR(moments.fourth, 1 / 5.0, 0.005);
  EXPECT_LE(moments.most, 1);
}

TEST(Random, SeedsAndNamesMakeStreamsOfTheirOwn) {
  std::set<uint64_t> seen;
  size_t drawn = 0;
  for (uint64_t seed : {0, 1, 2, 1000})
    for (const char *name : {"", "a", "b", "ab", "ba", "a.weight", "a.bias"})
      for (int64_t index = 0; index < 1000; ++index, ++drawn)
        seen.insert(RandomStream(seed, name).bits(index));
  EXPECT_EQ(seen.size(), drawn);
}

// Neighbouring pixels of a picture are correlated, except in every fourth picture, which is plain noise.
TEST(Pictures, HaveStructureButForEveryFourth) {
  constexpr int64_t size = 64;
  Tensor all = pictures(8, size, 3);
  EXPECT_EQ(all.shape(), (Shape{8, 3, size, size}));
  auto pixels = all.as<double>();
  for (int64_t picture = 0; picture < 8; ++picture) {
    double products = 0, squares = 0;
    for (int64_t i = 0; i + 1 < size * size; ++i) {
      const double *pixel = pixels.data() + picture * 3 * size * size + i;
      products += pixel[0] * pixel[1];
      squares += pixel[0] * pixel[0];
      ASSERT_LE(std::abs(*pixel), 3);
      ASSERT_EQ(*pixel * 1024, std::round(*pixel * 1024));
    }
    double correlation = products / squares;
    if (picture % 4 == 3)
      EXPECT_NEAR(correlation, 0, 0.1);
    else
      EXPECT_GT(correlation, 0.5);
  }
  EXPECT_FALSE(identical(pictures(1, size, 3), pictures(1, size, 4)));
}

} // namespace
} // namespace tilerig::models
