// Tests of softmax, normalisation, reductions and resize: the order of operations that isa/Numerics/README.md
// states, repeated step by step, accuracy against long double, and NaN and infinities.
#include "tests/unit/Numerics/OnEveryTarget.h"

#include "isa/Numerics/Normalise.h"
#include "isa/Numerics/Reduce.h"
#include "isa/Numerics/Resize.h"
#include "isa/Numerics/Softmax.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace tilerig {
namespace {

std::vector<float> randomRow(size_t count, float scale, uint64_t seed) {
  Random random(seed);
  std::vector<float> row;
  for (size_t i = 0; i < count; ++i)
    row.push_back((static_cast<float>(random.bits()) * 0x1p-31f - 1) * scale);
  return row;
}

const std::vector<size_t> lengths = {1, 2, 3, 7, 16, 17, 64, 255, 256, 257, 1000};

// --- softmax ---

TEST(Softmax, FollowsThePageStepByStep) {
  for (const size_t count : lengths)
    for (const float scale : {0.1f, 3.0f, 80.0f}) {
      const auto row = randomRow(count, scale, count);
      const float top = *std::ranges::max_element(row);
      std::vector<float> e, logs;
      double total = 0;
      for (const float x : row) {
        e.push_back(expDifference(x, top));
        total = total + static_cast<double>(e.back());
      }
      const auto logTotal = std::log(static_cast<long double>(total));
      std::vector<float> out(count), logOut(count);
      onEveryTarget([&] {
        softmax(row, out);
        logSoftmax(row, logOut);
        for (size_t i = 0; i < count; ++i) {
          ASSERT_EQ(out[i], e[i] / static_cast<float>(total));
          const auto exact = static_cast<long double>(row[i]) - static_cast<long double>(top) - logTotal;
          ASSERT_EQ(logOut[i], static_cast<float>(exact));
        }
        ASSERT_EQ(logSumExp(row), static_cast<float>(static_cast<long double>(top) + logTotal));
      });
    }
}

// Softmax is accurate for a long row as well: a sum in fp32 would be off by some thousand ulp.
TEST(Softmax, IsCloseToTheMathematics) {
  const auto row = randomRow(100'000, 5, 1);
  long double total = 0;
  for (const float x : row)
    total += std::exp(static_cast<long double>(x));
  std::vector<float> out(row.size()), logOut(row.size());
  softmax(row, out);
  logSoftmax(row, logOut);
  for (size_t i = 0; i < row.size(); ++i) {
    const auto exact = std::exp(static_cast<long double>(row[i])) / total;
    EXPECT_NEAR(out[i] / static_cast<double>(exact), 1, 4 * 0x1p-24);
    EXPECT_NEAR(logOut[i], static_cast<double>(std::log(exact)), 16 * 0x1p-24);
  }
}

// A sum must add the elements of a row from the first to the last. Here the first is 1 and each other is less
// than half an ulp of 1 in double: added to 1 one by one they vanish; added in the reverse order they would
// not.
TEST(Softmax, SumsInAscendingOrder) {
  std::vector<float> row(1 << 12, std::log(0x1p-54f));
  row[0] = 0;
  std::vector<float> out(row.size());
  logSoftmax(row, out);
  EXPECT_EQ(out[0], 0);
  std::ranges::reverse(row);
  logSoftmax(row, out);
  EXPECT_LT(out.back(), 0);
}

TEST(Softmax, NanAndInfiniteMaximaSpread) {
  std::vector<float> out(3);
  for (const auto &row : {std::array{1.0f, NAN, 2.0f}, {INFINITY, 0, 1}, {-INFINITY, -INFINITY, -INFINITY}}) {
    softmax(row, out);
    EXPECT_TRUE(std::ranges::all_of(out, [](float y) { return std::isnan(y); }));
    logSoftmax(row, out);
    EXPECT_TRUE(std::ranges::all_of(out, [](float y) { return std::isnan(y); }));
  }
  softmax(std::array{-INFINITY, 5.0f, -INFINITY}, out);
  EXPECT_EQ(out, (std::vector{0.0f, 1.0f, 0.0f}));
  logSoftmax(std::array{-INFINITY, 5.0f, -INFINITY}, out);
  EXPECT_EQ(out, (std::vector{-INFINITY, 0.0f, -INFINITY}));
}

TEST(Softmax, QuantisedRowsAreDequantisedComputedQuantised) {
  std::vector<int8_t> row(256);
  std::iota(row.begin(), row.end(), -128);
  const Quantisation in{0.07f, 4};
  const auto landing = Landing::of<uint8_t>(0);
  std::vector<float> reals(row.size()), expected(row.size());
  std::vector<uint8_t> out(row.size());
  softmax(std::span<const int8_t>(row), in, 1.0f / 256, landing, std::span(reals), std::span(out));
  for (size_t i = 0; i < row.size(); ++i)
    expected[i] = dequantise(row[i], in.scale, in.zeroPoint);
  softmax(expected, expected);
  for (size_t i = 0; i < row.size(); ++i)
    EXPECT_EQ(out[i], quantise<uint8_t>(expected[i], 1.0f / 256, landing));
}

// --- normalisation ---

TEST(Normalise, FollowsThePageStepByStep) {
  for (const size_t count : lengths)
    for (const auto mode : {Normalisation::meanAndVariance, Normalisation::rootMeanSquare}) {
      const auto row = randomRow(count, 4, count), gain = randomRow(count, 2, 77),
                 shift = randomRow(count, 2, 78);
      const bool centred = mode == Normalisation::meanAndVariance;
      const auto n = static_cast<float>(count);
      float total = row[0], squares = 0;
      for (size_t i = 1; i < count; ++i)
        total = total + row[i];
      const float centre = centred ? total / n : 0;
      for (const float x : row)
        squares = std::fma(x - centre, x - centre, squares);
      const float inverse = 1 / std::sqrt(squares / n + 1e-5f);
      std::vector<float> out(count), plain(count), one(count);
      normalise(row, mode, 1e-5f, gain, shift, out);
      normalise(row, mode, 1e-5f, {}, {}, plain);
      normalise(row, mode, 1e-5f, std::array{gain[0]}, std::array{shift[0]}, one);
      for (size_t i = 0; i < count; ++i) {
        const float scaled = (row[i] - centre) * inverse;
        ASSERT_EQ(out[i], std::fma(scaled, gain[i], shift[i]));
        ASSERT_EQ(plain[i], scaled);
        ASSERT_EQ(one[i], std::fma(scaled, gain[0], shift[0]));
      }
    }
}

TEST(Normalise, IsCloseToTheMathematics) {
  const auto row = randomRow(768, 3, 5);
  long double mean = 0, variance = 0, square = 0;
  for (const float x : row)
    mean += x / 768.0L;
  for (const float x : row) {
    variance += (x - mean) * (x - mean) / 768.0L;
    square += static_cast<long double>(x) * x / 768.0L;
  }
  std::vector<float> out(row.size()), rms(row.size());
  normalise(row, Normalisation::meanAndVariance, 1e-5f, {}, {}, out);
  normalise(row, Normalisation::rootMeanSquare, 1e-5f, {}, {}, rms);
  for (size_t i = 0; i < row.size(); ++i) {
    EXPECT_NEAR(out[i], static_cast<double>((row[i] - mean) / std::sqrt(variance + 1e-5L)), 3e-6);
    EXPECT_NEAR(rms[i], static_cast<double>(row[i] / std::sqrt(square + 1e-5L)), 3e-6);
  }
}

TEST(Normalise, ConstantRowsAndNan) {
  std::vector<float> out(4);
  normalise(std::array{3.0f, 3.0f, 3.0f, 3.0f}, Normalisation::meanAndVariance, 1e-5f, {}, std::array{2.0f},
            out);
  EXPECT_EQ(out, std::vector<float>(4, 2));
  normalise(std::array{3.0f, NAN, 3.0f, 3.0f}, Normalisation::meanAndVariance, 1e-5f, {}, {}, out);
  EXPECT_TRUE(std::ranges::all_of(out, [](float y) { return std::isnan(y); }));
}

// --- reductions ---

TEST(Reduce, AscendingAndNotOtherwise) {
  const std::array row = {1.0f, 0x1p-24f, 0x1p-24f, -1.0f};
  EXPECT_EQ(sum(row), 0);
  EXPECT_EQ(sum(std::array{-1.0f, 1.0f, 0x1p-24f, 0x1p-24f}), 0x1p-23f);
  EXPECT_EQ(mean(std::array{1.0f, 2.0f, 4.0f}), 7.0f / 3.0f);
  EXPECT_EQ(product(std::array{0x1p100f, 0x1p100f, 0x1p-100f}), INFINITY);
  EXPECT_EQ(product(std::array{0x1p100f, 0x1p-100f, 0x1p100f}), 0x1p100f);
  EXPECT_EQ(sumAbs(std::array{-1.0f, 2.0f, -0x1p-24f}), 3.0f);
  const float x =
      0x1.000002p0f; // the square of x needs more than 24 bits; a fused multiply-add would not round it
  EXPECT_EQ(sumSquares(std::array{0x1p-12f, x}), static_cast<float>(static_cast<double>(x) * x + 0x1p-24));
  EXPECT_NE(sumSquares(std::array{0x1p-12f, x}), x * x + 0x1p-24f);
}

TEST(Reduce, EmptyRowsHaveNeutralElements) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(maximum(std::span<const float>()), -INFINITY);
  EXPECT_EQ(minimum(std::span<const float>()), INFINITY);
  EXPECT_TRUE(std::isnan(mean({})));
}

TEST(Reduce, ExtremesPropagateNanAndOrderZeros) {
  EXPECT_EQ(bitsOfFloat(maximum(0.0f, -0.0f)), bitsOfFloat(0.0f));
  EXPECT_EQ(bitsOfFloat(maximum(-0.0f, 0.0f)), bitsOfFloat(0.0f));
  EXPECT_EQ(bitsOfFloat(minimum(0.0f, -0.0f)), bitsOfFloat(-0.0f));
  EXPECT_EQ(bitsOfFloat(minimum(-0.0f, 0.0f)), bitsOfFloat(-0.0f));
  EXPECT_EQ(bitsOfFloat(maximum(floatOfBits(0xffc12345), 1)), 0x7fc00000u);
  EXPECT_EQ(bitsOfFloat(minimum(1, floatOfBits(0xffc12345))), 0x7fc00000u);
  EXPECT_EQ(maximum(std::array{1.0f, 3.0f, 2.0f}), 3);
  EXPECT_EQ(minimum(std::array{1.0f, -INFINITY, 2.0f}), -INFINITY);
}

// The maximum and the minimum are found in any SIMD lane, also among NaN or zeros.
TEST(Reduce, ExtremesAreFoundAnywhereOnEveryTarget) {
  for (const size_t count : {1, 2, 5, 16, 17, 100})
    for (size_t at = 0; at < count; ++at)
      onEveryTarget([&] {
        auto row = randomRow(count, 9, count);
        row[at] = 10;
        ASSERT_EQ(maximum(row), 10);
        row[at] = -INFINITY;
        ASSERT_EQ(minimum(row), -INFINITY);
        row[at] = floatOfBits(0xffc00001);
        ASSERT_EQ(bitsOfFloat(maximum(row)), 0x7fc00000u);
        ASSERT_EQ(bitsOfFloat(minimum(row)), 0x7fc00000u);
        std::vector<float> zeros(count, -0.0f);
        ASSERT_EQ(bitsOfFloat(maximum(zeros)), 0x80000000u);
        zeros[at] = 0.0f;
        ASSERT_EQ(bitsOfFloat(maximum(zeros)), 0u);
        ASSERT_EQ(bitsOfFloat(minimum(zeros)), count == 1 ? 0u : 0x80000000u);
      });
}

TEST(Reduce, IndicesOfExtremes) {
  const std::array row = {1.0f, 3.0f, 3.0f, -2.0f, -2.0f};
  EXPECT_EQ(argMax(row, Extreme::first), 1u);
  EXPECT_EQ(argMax(row, Extreme::last), 2u);
  EXPECT_EQ(argMin(row, Extreme::first), 3u);
  EXPECT_EQ(argMin(row, Extreme::last), 4u);
  EXPECT_EQ(argMax(std::array{0.0f, -0.0f}, Extreme::last), 1u) << "zeros are equal";
  const std::array withNan = {1.0f, NAN, INFINITY, NAN};
  EXPECT_EQ(argMax(withNan, Extreme::first), 1u);
  EXPECT_EQ(argMax(withNan, Extreme::last), 3u);
  EXPECT_EQ(argMin(withNan, Extreme::first), 1u);
}

// --- resize ---

TEST(Resize, PositionsAreExactFractions) {
  // Half-pixel coordinates from 4 to 6 pixels: output o is at (o + 1/2) * 4/6 - 1/2 = (4 o - 1) / 6.
  const auto at = [](int64_t o) { return resizePosition(o, 4, -1, 6); };
  EXPECT_EQ(at(0).index, -1);
  EXPECT_EQ(at(0).fraction, static_cast<float>(5.0 / 6));
  EXPECT_EQ(at(1).index, 0);
  EXPECT_EQ(at(1).fraction, 0.5f);
  EXPECT_EQ(at(4).index, 2);
  EXPECT_EQ(at(4).fraction, 0.5f);
  for (int64_t o = 0; o < 1000; ++o) // output o lies exactly at o / 3, which floats could not represent
    for (const int64_t far : {int64_t(0), int64_t(1) << 40}) {
      const auto p = resizePosition(o + 3 * far, 1, 0, 3);
      ASSERT_EQ(p.index, far + o / 3);
      ASSERT_EQ(p.fraction, static_cast<float>(static_cast<double>(o % 3) / 3));
    }
  EXPECT_EQ(resizePosition(0, 1, -7, 7).index, -1);
  EXPECT_EQ(resizePosition(0, 1, -7, 7).fraction, 0);
  EXPECT_EQ(clampedIndex(-1, 5), 0);
  EXPECT_EQ(clampedIndex(5, 5), 4);
  EXPECT_EQ(clampedIndex(3, 5), 3);
}

TEST(Resize, WeightsSumToOneAndFollowTheirKernel) {
  for (int i = 0; i <= 1000; ++i) {
    const float f = static_cast<float>(i) / 1000;
    const auto linear = linearWeights(f);
    EXPECT_EQ(linear[0], 1 - f);
    EXPECT_EQ(linear[1], f);
    for (const float a : {-0.75f, -0.5f}) {
      const auto w = cubicWeights(f, a);
      const auto kernel = [a](double t) { // cubic convolution kernel (Keys 1981), in double
        t = std::fabs(t);
        return t <= 1 ? (a + 2.0) * t * t * t - (a + 3.0) * t * t + 1
                      : a * t * t * t - 5.0 * a * t * t + 8.0 * a * t - 4.0 * a;
      };
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(w[static_cast<size_t>(k)], kernel(f - (k - 1.0)), 1.5e-6) << f << " tap " << k;
      EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1, 2e-6);
    }
  }
  const auto exact = cubicWeights(0, -0.75f);
  EXPECT_EQ(exact, (std::array{0.0f, 1.0f, 0.0f, 0.0f}));
}

TEST(Resize, TapsCombineAscendingAndFused) {
  const std::array taps = {0x1.000002p0f, 0x1p-30f}, weights = {0x1.000002p0f, 1.0f};
  EXPECT_EQ(combineTaps(weights, taps), std::fma(1.0f, 0x1p-30f, 0x1.000002p0f * 0x1.000002p0f));
  EXPECT_EQ(combineTaps(std::array{0.5f}, std::array{3.0f}), 1.5f);
}

TEST(Resize, TapsWithoutWeightAreLeftOut) {
  EXPECT_EQ(combineTaps(std::array{1.0f, 0.0f}, std::array{3.0f, INFINITY}), 3.0f);
  EXPECT_EQ(combineTaps(std::array{0.0f, 1.0f}, std::array{NAN, INFINITY}), INFINITY);
  EXPECT_TRUE(std::signbit(combineTaps(std::array{1.0f, 0.0f}, std::array{-0.0f, 1.0f})));
  EXPECT_EQ(cubicWeights(0, 0.3f), (std::array{0.0f, 1.0f, 0.0f, 0.0f}));
}

} // namespace
} // namespace tilerig
