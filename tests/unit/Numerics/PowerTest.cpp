// Tests of pow and of the remainder functions.
#include "tests/support/Effort.h"
#include "tests/unit/Numerics/OnEveryTarget.h"
#include "tests/unit/Numerics/Oracle.h"

#include "isa/Numerics/Functions.h"

#include <span>
#include <utility>

namespace tilerig {
namespace {

// All pairs of special values agree with the C library, which follows IEEE 754.
TEST(Power, SpecialCases) {
  const float inf = INFINITY, largest = 0x1.fffffep127f;
  std::vector<float> values;
  for (const float x : {0.0f, 0x1p-149f, 0x1p-126f, 0.5f, 0x1.fffffep-1f, 1.0f, 0x1.000002p0f, 1.5f, 2.0f,
                        3.0f, 4.0f, 5.0f, 0x1.fffffep23f, 0x1p24f, 0x1.000002p24f, 1e30f, largest, inf, NAN})
    for (const float sign : {1.0f, -1.0f})
      values.push_back(std::copysign(x, sign));
  for (const float x : values)
    for (const float y : values) {
      const auto truth = std::pow(static_cast<long double>(x), static_cast<long double>(y));
      const auto expected = static_cast<float>(truth);
      const float result = power(x, y);
      if (std::isnan(truth)) {
        ASSERT_EQ(bitsOfFloat(result), 0x7fc00000u) << x << " ^ " << y;
      } else if (static_cast<long double>(expected) == truth || std::isinf(expected) || expected == 0) {
        ASSERT_EQ(bitsOfFloat(result), bitsOfFloat(expected)) << x << " ^ " << y;
      } else {
        ASSERT_LE(errorInUlp(result, truth), 0.500001L) << x << " ^ " << y;
      }
    }
}

// Every power of a small integer that fits in 64 bits is correctly rounded: exact results are exact, ties
// round to even.
TEST(Power, IntegerPowersRoundCorrectly) {
  size_t ties = 0;
  for (int64_t base = 2; base <= 5000; ++base) {
    __extension__ typedef unsigned __int128 Wide;
    Wide exact = 1;
    for (int exponent = 1; exact < (Wide(1) << 63); ++exponent) {
      exact *= static_cast<Wide>(base);
      const auto correct = static_cast<float>(exact);
      const auto x = static_cast<float>(base), y = static_cast<float>(exponent);
      ASSERT_EQ(power(x, y), correct) << base << " ^ " << exponent;
      ASSERT_EQ(power(-x, y), exponent % 2 ? -correct : correct) << -base << " ^ " << exponent;
      if (const float scaled = std::ldexp(correct, -30 * exponent); std::isnormal(scaled)) {
        ASSERT_EQ(power(std::ldexp(x, -30), y), scaled) << base << " ^ " << exponent;
      }
      const Wide low = exact & -exact;
      ties += exact / low >= 1 << 24 && exact / low < 1 << 25;
    }
  }
  EXPECT_GT(ties, 500u);
}

TEST(Power, SquaresAndRootsRoundCorrectly) {
  for (int32_t m = 1; m < 1 << 24; m += 61) {
    const auto x = std::ldexp(static_cast<float>(m), m % 60 - 40);
    ASSERT_EQ(power(x, 2), x * x) << m;
    ASSERT_EQ(power(x, 1), x) << m;
    ASSERT_EQ(power(x, 0.5f), std::sqrt(x)) << m;
  }
  for (int32_t k = -149; k <= 127; ++k)
    ASSERT_EQ(power(2, static_cast<float>(k)), std::ldexp(1.0f, k));
  EXPECT_EQ(power(2, -150), 0) << "a tie between 0 and the least float";
  EXPECT_EQ(power(2, -149.99f), 0x1p-149f);
}

// Pairs whose power is a finite float, with bases above and below 1 and exponents of both signs.
std::vector<std::pair<float, float>> ordinaryPairs(size_t count) {
  std::vector<std::pair<float, float>> pairs;
  Random random(5);
  while (pairs.size() < count) {
    const float x = floatOfBits(random.bits() & 0x7fffffff);
    const double bound = 104 / std::max(1e-9, std::fabs(std::log(static_cast<double>(x))));
    const auto y = static_cast<float>(bound * (static_cast<double>(random.bits()) * 0x1p-31 - 1));
    if (std::isfinite(x) && x > 0)
      pairs.push_back({x, y});
  }
  return pairs;
}

TEST(Power, ErrsByLittleMoreThanHalfAnUlp) {
  double worst = 0;
  for (const auto &[x, y] : ordinaryPairs(500'000)) {
    const auto truth = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    worst = std::max(worst, static_cast<double>(errorInUlp(power(x, y), truth)));
  }
  EXPECT_LE(worst, 0.500003);
  EXPECT_GT(worst, 0.499);
}

TEST(Power, EveryInstructionSetGivesTheBitsOfTheScalar) {
  std::vector<float> x, y;
  for (const auto &[a, b] : ordinaryPairs(50'021)) {
    x.push_back(x.size() % 3 ? a : -a);
    y.push_back(y.size() % 5 ? b : std::rint(b));
  }
  Random random(6);
  for (int i = 0; i < 50'000; ++i) { // arbitrary bits, including NaN and infinities
    x.push_back(floatOfBits(random.bits()));
    y.push_back(floatOfBits(random.bits()));
  }
  std::vector<float> scalar, bulk(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    scalar.push_back(power(x[i], y[i]));
  onEveryTarget([&] {
    power(x, y, bulk);
    ASSERT_EQ(firstDifference(bulk, scalar), x.size());
  });
  for (const float exponent : {2.0f, 3.0f, -0.5f, 0.0f, NAN, INFINITY}) {
    for (size_t i = 0; i < x.size(); ++i)
      scalar[i] = power(x[i], exponent);
    onEveryTarget([&] {
      power(std::span<const float>(x), exponent, bulk);
      ASSERT_EQ(firstDifference(bulk, scalar), x.size());
    });
  }
}

TEST(Remainder, IntegersLikeTheirDefinitions) {
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b) {
      const int truncated = truncatedRemainder(a, b), floored = flooredRemainder(a, b);
      if (b == 0) {
        ASSERT_EQ(truncated, 0);
        ASSERT_EQ(floored, 0);
        continue;
      }
      const int quotient = static_cast<int>(std::floor(static_cast<double>(a) / b));
      ASSERT_EQ(floored, a - quotient * b) << a << " mod " << b;
      ASSERT_EQ(truncated, a % b);
      ASSERT_EQ(truncatedRemainder(static_cast<int8_t>(a), static_cast<int8_t>(b)), a % b);
      ASSERT_EQ(flooredRemainder(static_cast<int8_t>(a), static_cast<int8_t>(b)), floored);
    }
  EXPECT_EQ(truncatedRemainder(INT32_MIN, -1), 0);
  EXPECT_EQ(flooredRemainder(INT64_MIN, int64_t(-1)), 0);
  EXPECT_EQ(truncatedRemainder(7u, UINT32_MAX), 7u);
  EXPECT_EQ(flooredRemainder(UINT32_MAX, UINT32_MAX), 0u);
}

TEST(Remainder, Floats) {
  EXPECT_EQ(truncatedRemainder(5.5f, -2.0f), 1.5f);
  EXPECT_EQ(flooredRemainder(5.5f, -2.0f), -0.5f);
  EXPECT_EQ(truncatedRemainder(-5.5f, 2.0f), -1.5f);
  EXPECT_EQ(flooredRemainder(-5.5f, 2.0f), 0.5f);
  EXPECT_EQ(flooredRemainder(-4.0f, 2.0f), 0.0f);
  EXPECT_EQ(truncatedRemainder(1.0f, INFINITY), 1.0f);
  EXPECT_EQ(flooredRemainder(-1.0f, INFINITY), INFINITY);
  for (const auto &[a, b] : {std::pair{1.0f, 0.0f}, {INFINITY, 2.0f}, {NAN, 2.0f}, {2.0f, NAN}})
    EXPECT_EQ(bitsOfFloat(truncatedRemainder(a, b)), 0x7fc00000u);
  Random random(12);
  for (uint64_t i = 0; i < test::rounds(100'000);
       ++i) { // the remainder a - q b of a / b is exact; q is an integer
    const auto a = static_cast<float>(random.within(-1'000'000, 1'000'000)) / 64;
    const auto b = static_cast<float>(random.within(1, 4000)) / 64 * (i % 2 ? 1.0f : -1.0f);
    const auto q = std::floor(static_cast<double>(a) / static_cast<double>(b));
    ASSERT_EQ(flooredRemainder(a, b), a - q * b) << a << " mod " << b;
  }
}

} // namespace
} // namespace tilerig
