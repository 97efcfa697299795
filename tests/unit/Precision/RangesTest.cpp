#include "compiler/Planning/Quantisation/ActivationParameters.h"
#include "compiler/Planning/Quantisation/RangeMethod.h"
#include "isa/Numerics/Quantise.h"
#include "tests/unit/Precision/Values.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tilerig::test {
using namespace compiler;
namespace {

constexpr const char *everyMethod[] = {"min-max", "percentile", "percentile:90", "entropy", "mse", "average"};

ValueRange choose(const TensorStatistics &statistics, const std::string &method) {
  auto parsed = parseRangeMethod(method);
  EXPECT_TRUE(parsed) << method;
  auto range = chooseRange("x", statistics, *parsed);
  EXPECT_TRUE(range) << range.error().message();
  return *range;
}

TEST(ChooseRange, HasZeroAndLiesWithinWhatWasSeen) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const char *method : everyMethod) {
      const TensorStatistics statistics = statisticsOf(randomValues(seed, 1 + seed * seed * 30));
      const ValueRange range = choose(statistics, method);
      EXPECT_LE(range.low, 0) << method << seed;
      EXPECT_GE(range.high, 0) << method << seed;
      EXPECT_GE(range.low, std::min(statistics.minimum(), 0.0f)) << method << seed;
      EXPECT_LE(range.high, std::max(statistics.maximum(), 0.0f)) << method << seed;
      EXPECT_LT(range.low, range.high) << method << seed;
    }
}

TEST(ChooseRange, OfConstants) {
  for (const char *method : everyMethod) {
    EXPECT_EQ(choose(statisticsOf(std::vector<float>(100, 0.3f)), method), (ValueRange{0, 0.3f})) << method;
    EXPECT_EQ(choose(statisticsOf(std::vector<float>(100, -7)), method), (ValueRange{-7, 0})) << method;
    EXPECT_EQ(choose(statisticsOf({0, -0.0f}), method), (ValueRange{0, 0})) << method;
  }
}

TEST(ChooseRange, OfTheLeastAndTheLargestFloats) {
  constexpr float least = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
  for (const char *method : everyMethod) {
    EXPECT_EQ(choose(statisticsOf({least, -least}), method).high, least) << method;
    EXPECT_EQ(choose(statisticsOf({most, -most}), method), (ValueRange{-most, most})) << method;
  }
}

TEST(ChooseRange, ScalesAndTurnsWithTheValues) {
  for (uint64_t seed = 0; seed < 5; ++seed)
    for (const std::string method : everyMethod) {
      // Scaling all values by a factor scales the chosen range alike. With the method "entropy", the factor
      // must be positive: this method groups bins from the low end on, so it is not symmetric.
      const float factor = method == "entropy" ? 1024 : -1024;
      std::vector<float> values = randomValues(seed, 2000);
      const ValueRange range = choose(statisticsOf(values), method);
      for (float &x : values)
        x *= factor;
      EXPECT_EQ(choose(statisticsOf(values), method),
                ValueRange::containing(range.low * factor, range.high * factor))
          << method << seed;
    }
}

TEST(ChooseRange, RefusesWhatHasNoRange) {
  auto refused = chooseRange("conv1", statisticsOf({1, NAN, INFINITY}), RangeMethod());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalidInput);
  EXPECT_EQ(refused.error().message(),
            "tensor 'conv1': 2 of the tensor's 3 values are NaN or infinite; calibrate with "
            "inputs that are typical of this network");
}

TEST(ChooseRange, GivesATensorWithoutElementsZero) {
  const auto range = chooseRange("conv1", TensorStatistics(), RangeMethod());
  ASSERT_TRUE(range);
  EXPECT_EQ(*range, ValueRange());
}

TEST(ChooseRange, AveragesMinimaAndMaximaOfSamples) {
  TensorStatistics statistics, turned;
  const std::vector<Tensor> samples = {Tensor::of<float>({3}, {-1, 0, 2}), Tensor::of<float>({2}, {-3, 8})};
  for (const Tensor &sample : samples)
    ASSERT_TRUE(statistics.add(sample));
  ASSERT_TRUE(turned.add(samples[1]) && turned.add(samples[0]));
  EXPECT_EQ(statistics, turned);
  EXPECT_EQ(choose(statistics, "min-max"), (ValueRange{-3, 8}));
  EXPECT_EQ(choose(statistics, "average"), (ValueRange{-2, 5}));
  // The method average:3 widens ranges by a factor that grows from 1 at the first layer to 3 at the last.
  const auto method = parseRangeMethod("average:3");
  ASSERT_TRUE(method);
  EXPECT_EQ(*chooseRange("x", statistics, *method, 0), (ValueRange{-2, 5}));
  EXPECT_EQ(*chooseRange("x", statistics, *method, 0.5), (ValueRange{-4, 10}));
  EXPECT_EQ(*chooseRange("x", statistics, *method, 1), (ValueRange{-6, 15}));
}

TEST(RangeMethod, NamesParseAgain) {
  for (const char *name : {"min-max", "percentile:99.99", "percentile:100", "entropy", "mse", "average",
                           "average:2", "average:1.5"}) {
    auto method = parseRangeMethod(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(nameOf(*method), name);
  }
  EXPECT_EQ(parseRangeMethod("percentile")->percentile, 99.99);
  EXPECT_EQ(parseRangeMethod("percentile:99.9")->percentile, 99.9);
}

TEST(RangeMethod, RefusesOthers) {
  const std::pair<const char *, const char *> wrong[] = {
      {"entorpy", "there is no calibration method 'entorpy'; did you mean 'entropy'?"},
      {"", "there is no calibration method ''; expected min-max, percentile, entropy, mse or average"},
      {"mse:3", "the calibration method 'mse' takes no number; leave out the colon and the text after it"},
      {"percentile:0",
       "'0' is not a percentile; write a number above 0 and up to 100, as in percentile:99.9"},
      {"percentile:100.1",
       "'100.1' is not a percentile; write a number above 0 and up to 100, as in percentile:99.9"},
      {"average:0.5", "'0.5' is not a valid range factor for the last layer; write a number from 1 to 16, as "
                      "in average:2"},
      {"average:",
       "'' is not a valid range factor for the last layer; write a number from 1 to 16, as in average:2"},
      {"average:inf", "'inf' is not a valid range factor for the last layer; write a number from 1 to 16, as "
                      "in average:2"},
      {"percentile:nan",
       "'nan' is not a percentile; write a number above 0 and up to 100, as in percentile:99.9"},
      {"percentile:9x",
       "'9x' is not a percentile; write a number above 0 and up to 100, as in percentile:99.9"},
      {"percentile:", "'' is not a percentile; write a number above 0 and up to 100, as in percentile:99.9"}};
  for (const auto &[text, message] : wrong) {
    auto method = parseRangeMethod(text);
    ASSERT_FALSE(method) << text;
    EXPECT_EQ(method.error().message(), message);
  }
}

// The range cuts off at most the permitted share of the values at each end, and is at most one histogram bin
// too wide.
TEST(Percentile, CutsTheShareAtEachEnd) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const double percentile : {50.0, 90.0, 99.0, 99.9}) {
      std::vector<float> values = randomValues(seed, 5000);
      const TensorStatistics statistics = statisticsOf(values);
      const ValueRange range = choose(statistics, "percentile:" + std::to_string(percentile));
      std::ranges::sort(values);
      const auto cut = static_cast<size_t>(5000 * (100 - percentile) / 200 + 1e-6);
      const double width = statistics.histogram().width();
      const double low = std::min(values[cut], 0.0f), high = std::max(values[4999 - cut], 0.0f);
      EXPECT_LE(range.low, low);
      EXPECT_GE(range.high, high);
      EXPECT_GE(range.low, low - width);
      EXPECT_LE(range.high, high + width);
    }
}

TEST(Percentile, GrowsWithThePercentileUpToAll) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const TensorStatistics statistics = statisticsOf(randomValues(seed, 3000));
    ValueRange last;
    for (const char *percentile : {"1", "20", "70", "95", "99", "99.5", "99.9", "99.99", "100"}) {
      const ValueRange range = choose(statistics, std::string("percentile:") + percentile);
      EXPECT_LE(range.low, last.low);
      EXPECT_GE(range.high, last.high);
      last = range;
    }
    EXPECT_EQ(last, choose(statistics, "min-max"));
  }
}

// A naive implementation of the calibration method "entropy", from the definition in the comment at the start
// of EntropyRange.cpp.

std::vector<double> countsOf(const TensorStatistics &statistics) {
  std::vector<double> counts;
  for (int bin = -Histogram::binsPerSide; bin < Histogram::binsPerSide; ++bin)
    counts.push_back(static_cast<double>(statistics.histogram().count(bin)));
  counts[Histogram::binsPerSide] -= static_cast<double>(statistics.zeros());
  return counts;
}

double plainDivergence(const std::vector<double> &counts, size_t begin, size_t end) {
  std::vector<double> p(counts.begin() + static_cast<ptrdiff_t>(begin),
                        counts.begin() + static_cast<ptrdiff_t>(end));
  std::vector<double> q(p.size());
  const size_t n = p.size();
  for (size_t group = 0; group < 256; ++group) {
    double sum = 0, filled = 0;
    for (size_t i = group * n / 256; i < (group + 1) * n / 256; ++i) {
      sum += p[i];
      filled += p[i] > 0;
    }
    for (size_t i = group * n / 256; i < (group + 1) * n / 256; ++i)
      q[i] = p[i] > 0 ? sum / filled : 0;
  }
  for (size_t i = 0; i < begin; ++i)
    p.front() += counts[i];
  for (size_t i = end; i < counts.size(); ++i)
    p.back() += counts[i];
  double pSum = 0, qSum = 0, divergence = 0;
  for (size_t i = 0; i < n; ++i) {
    pSum += p[i];
    qSum += q[i];
  }
  for (size_t i = 0; i < n; ++i)
    if (p[i] > 0)
      divergence += q[i] > 0 ? p[i] / pSum * std::log(p[i] / pSum / (q[i] / qSum))
                             : std::numeric_limits<double>::infinity();
  return divergence;
}

TEST(Entropy, DivergesLeast) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const TensorStatistics statistics = statisticsOf(randomValues(seed, 4000));
    const std::vector<double> counts = countsOf(statistics);
    constexpr size_t zero = Histogram::binsPerSide;
    size_t first = zero, last = zero;
    for (size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) {
        first = std::min(first, i);
        last = std::max(last, i + 1);
      }
    double least = std::numeric_limits<double>::infinity();
    std::map<double, double> divergences; // divergence for each clipping threshold
    for (size_t clip = 1; clip <= zero; ++clip) {
      const size_t begin = std::max(first, zero - clip), end = std::min(last, zero + clip);
      if (end - begin < 256)
        continue;
      const double divergence = plainDivergence(counts, begin, end);
      divergences[static_cast<double>(clip) * statistics.histogram().width()] = divergence;
      least = std::min(least, divergence);
    }
    const ValueRange range = choose(statistics, "entropy");
    const double clip = std::max(-range.low, range.high);
    // If nothing is clipped, the range ends at the largest magnitude, which lies inside the last bin, not at
    // the end of a bin.
    auto chosen =
        range == choose(statistics, "min-max") ? std::prev(divergences.end()) : divergences.find(clip);
    ASSERT_NE(chosen, divergences.end()) << "seed " << seed;
    EXPECT_NEAR(chosen->second, least, 2e-9) << "seed " << seed;
  }
}

TEST(Entropy, ClipsOutliers) {
  std::vector<float> values;
  Random random(1);
  for (int i = 0; i < 100000; ++i)
    values.push_back(static_cast<float>(std::fabs(bell(random))));
  values.push_back(40);
  const ValueRange range = choose(statisticsOf(values), "entropy");
  EXPECT_EQ(range.low, 0);
  EXPECT_GT(range.high, 3);
  EXPECT_LT(range.high, 8);
}

// Sparse values are represented exactly by 256 levels, so the divergence is zero without clipping.
TEST(Entropy, WhereNothingDivergesNothingIsClipped) {
  EXPECT_EQ(choose(statisticsOf({0.5f, 1}), "entropy"), (ValueRange{0, 1}));
  EXPECT_EQ(choose(statisticsOf({-0.25f, 0.5f, -1}), "entropy"), (ValueRange{-1, 0.5f}));
}

TEST(Entropy, ExactZerosDoNotMatter) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<float> values = randomValues(seed, 3000);
    const ValueRange range = choose(statisticsOf(values), "entropy");
    values.resize(50000);
    EXPECT_EQ(choose(statisticsOf(values), "entropy"), range);
  }
}

// The calibration method "least squares": the expected errors are summed value by value, with the
// quantisation functions of the library.

double squaredError(const std::map<double, double> &countOfValue, ValueRange range) {
  const auto [scale, zeroPoint] = asymmetricParameters(range, QuantisedType::int8);
  const Landing landing = Landing::of<int8_t>(zeroPoint);
  double sum = 0;
  for (const auto &[x, count] : countOfValue) {
    const double error =
        dequantise(quantise<int8_t>(static_cast<float>(x), scale, landing), scale, zeroPoint) - x;
    sum += count * error * error;
  }
  return sum;
}

std::map<double, double> middlesOfBins(const TensorStatistics &statistics) {
  std::map<double, double> middles;
  const std::vector<double> counts = countsOf(statistics);
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      middles[(static_cast<double>(i) - Histogram::binsPerSide + 0.5) * statistics.histogram().width()] =
          counts[i];
  return middles;
}

TEST(LeastSquares, IsTheBestOfAllPairs) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const TensorStatistics statistics = statisticsOf(randomValues(seed, 100));
    const std::map<double, double> middles = middlesOfBins(statistics);
    const ValueRange all = choose(statistics, "min-max");
    std::vector<float> fractions;
    for (float octave = 1; octave > 1.0f / 256; octave /= 2)
      for (int numerator = 32; numerator > 16; --numerator)
        fractions.push_back(octave * static_cast<float>(numerator) / 32);
    ASSERT_EQ(fractions.size(), 128u);
    double least = std::numeric_limits<double>::infinity();
    for (const float low : fractions)
      for (const float high : fractions)
        least = std::min(least, squaredError(middles, {all.low * low, all.high * high}));
    const double chosen = squaredError(middles, choose(statistics, "mse"));
    EXPECT_LE(chosen, least * (1 + 1e-5)) << "seed " << seed;
    EXPECT_GE(chosen, least * (1 - 1e-5)) << "seed " << seed;
  }
}

// The method "least squares" clips far outliers at the optimum. n values are evenly spread over 0 ... 1 and
// one value is 16. With the clipping threshold T, rounding to 255 levels up to T costs n (T / 255)^2 / 12,
// and clipping costs (16 - T)^2. The sum is minimal at T = 16 / (1 + n / (12 * 255^2)).
TEST(LeastSquares, ClipsFarOutliersAsFarAsTheyAreWorth) {
  constexpr int n = 4000000;
  std::vector<float> values;
  for (int i = 0; i < n; ++i)
    values.push_back(static_cast<float>(i) / n);
  values.push_back(16);
  const ValueRange range = choose(statisticsOf(values), "mse");
  const double best = 16 / (1 + n / (12 * 255.0 * 255.0));
  EXPECT_NEAR(range.high, best, 0.1 * best);
  EXPECT_LT(range.high, 4);
}

// The error is close to the minimum over evenly spaced ranges, computed from the values themselves instead of
// bins.
TEST(LeastSquares, IsCloseToTheBestThereIs) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<float> values = randomValues(seed, 2000);
    const TensorStatistics statistics = statisticsOf(values);
    std::map<double, double> counts;
    for (const float x : values)
      ++counts[x];
    const ValueRange all = choose(statistics, "min-max");
    double least = std::numeric_limits<double>::infinity();
    for (float low = 1; low > 0; low -= 1.0f / 32)
      for (float high = 1; high > 0; high -= 1.0f / 32)
        least = std::min(least, squaredError(counts, {all.low * low, all.high * high}));
    EXPECT_LE(squaredError(counts, choose(statistics, "mse")), 1.05 * least) << "seed " << seed;
  }
}

} // namespace
} // namespace tilerig::test
