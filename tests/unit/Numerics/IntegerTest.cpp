// Tests of rounding to integers, saturation, wrapping, the type i9, and accumulators.
#include "tests/unit/Numerics/OnEveryTarget.h"

#include "isa/Numerics/I9.h"
#include "isa/Numerics/Rounding.h"

#include <array>

namespace tilerig {
namespace {

// Rounds a float half to even, computed from its bits: an integer part and the fraction below it.
float plainRoundHalfEven(float x) {
  int exponent;
  const int64_t fraction =
      std::llround(std::ldexp(std::frexp(std::fabs(x), &exponent), 24)); // 24 bits, exact
  // The float x has the magnitude fraction / 2^shift.
  const int shift = 24 - exponent;
  if (shift <= 0)
    return x;
  if (shift > 25)
    return std::copysign(0.0f, x);
  const int64_t whole = fraction >> shift, rest = fraction - (whole << shift),
                half = int64_t(1) << (shift - 1);
  const int64_t rounded = whole + (rest > half || (rest == half && whole % 2 == 1));
  return std::copysign(static_cast<float>(rounded), x);
}

TEST(Rounding, HalfEvenOfFloats) {
  for (const float x : floatsAtStride(3001))
    if (std::isfinite(x)) {
      ASSERT_EQ(bitsOfFloat(roundHalfEven(x)), bitsOfFloat(plainRoundHalfEven(x))) << x;
    }
  for (int32_t i = -70000; i <= 70000; ++i) // every tie of small magnitude, and both its neighbours
    for (const float x : {i + 0.5f, std::nextafter(i + 0.5f, -1e9f), std::nextafter(i + 0.5f, 1e9f)})
      ASSERT_EQ(bitsOfFloat(roundHalfEven(x)), bitsOfFloat(plainRoundHalfEven(x))) << x;
}

TEST(Rounding, KeepsWhatHasNoFraction) {
  for (const float x : {INFINITY, -INFINITY, 0x1p23f, -0x1.fffffep127f, 0.0f, -0.0f})
    EXPECT_EQ(bitsOfFloat(roundHalfEven(x)), bitsOfFloat(x));
  EXPECT_TRUE(std::isnan(roundHalfEven(NAN)));
  EXPECT_TRUE(std::isnan(roundHalfEven(double(NAN))));
  EXPECT_EQ(roundHalfEven(0x1.8p53), 0x1.8p53);
}

TEST(Rounding, HalfEvenOfDoubles) {
  for (int64_t i = -100000; i <= 100000; ++i) {
    const double tie = static_cast<double>(i) + 0.5;
    ASSERT_EQ(roundHalfEven(tie), static_cast<double>(i % 2 == 0 ? i : i + 1));
    ASSERT_EQ(roundHalfEven(std::nextafter(tie, -1e9)), static_cast<double>(i));
    ASSERT_EQ(roundHalfEven(std::nextafter(tie, 1e9)), static_cast<double>(i + 1));
  }
  EXPECT_EQ(roundHalfEven(0x1p51 + 0.5), 0x1p51);
  EXPECT_EQ(roundHalfEven(0x1p51 + 1.5), 0x1p51 + 2);
}

TEST(Rounding, EveryModeOnTheClassicCases) {
  struct IntegerCase {
    float x;
    std::array<int32_t, 4> expected; // results of rounding half to even, half away from zero, to zero, down
  };
  const auto modes = {Rounding::halfEven, Rounding::halfAway, Rounding::towardZero, Rounding::down};
  for (const auto &[x, expected] : {
           IntegerCase{0.5f, {0, 1, 0, 0}},
           {1.5f, {2, 2, 1, 1}},
           {2.5f, {2, 3, 2, 2}},
           {-0.5f, {0, -1, 0, -1}},
           {-1.5f, {-2, -2, -1, -2}},
           {-2.5f, {-2, -3, -2, -3}},
           {0x1.fffffep-2f, {0, 0, 0, 0}}, // just below 1/2: adding 1/2 and truncating would give 1
           {-0x1.fffffep-2f, {0, 0, 0, -1}},
           {0x1.000002p-1f, {1, 1, 0, 0}},
           {8388607.5f, {8388608, 8388608, 8388607, 8388607}},
           {8388609.0f, {8388609, 8388609, 8388609, 8388609}},
       }) {
    size_t i = 0;
    for (const Rounding mode : modes)
      EXPECT_EQ(roundTo<int32_t>(x, mode), expected[i++]) << x << " mode " << static_cast<int>(mode);
  }
}

TEST(Rounding, ConversionsSaturateAndNanIsZero) {
  EXPECT_EQ(roundTo<int32_t>(2147483648.0f), INT32_MAX);
  EXPECT_EQ(roundTo<int32_t>(2147483520.0f), 2147483520);
  EXPECT_EQ(roundTo<int32_t>(-2147483648.0f), INT32_MIN);
  EXPECT_EQ(roundTo<int32_t>(-INFINITY), INT32_MIN);
  EXPECT_EQ(roundTo<int32_t>(INFINITY), INT32_MAX);
  EXPECT_EQ(roundTo<int32_t>(NAN), 0);
  EXPECT_EQ(roundTo<int32_t>(2147483646.5), 2147483646);
  EXPECT_EQ(roundTo<int32_t>(2147483647.5), INT32_MAX);
  EXPECT_EQ(roundTo<int64_t>(0x1p63), INT64_MAX);
  EXPECT_EQ(roundTo<int64_t>(-0x1p63), INT64_MIN);
  EXPECT_EQ(roundTo<int64_t>(0x1.fffffffffffffp62), INT64_MAX - 511 - 512);
  EXPECT_EQ(roundTo<int8_t>(127.5), INT8_MAX);
  EXPECT_EQ(roundTo<int8_t>(-128.5), INT8_MIN);
  EXPECT_EQ(roundTo<int16_t>(-1e30f), INT16_MIN);
}

TEST(Accumulator, WrapsAndTells) {
  for (const int64_t value : {int64_t(INT32_MAX), int64_t(INT32_MIN), int64_t(0), int64_t(-1)}) {
    EXPECT_TRUE(fitsInt32(value));
    EXPECT_EQ(wrapToInt32(value), value);
  }
  EXPECT_FALSE(fitsInt32(int64_t(INT32_MAX) + 1));
  EXPECT_EQ(wrapToInt32(int64_t(INT32_MAX) + 1), INT32_MIN);
  EXPECT_EQ(wrapToInt32(int64_t(INT32_MIN) - 1), INT32_MAX);
}

TEST(I9, NarrowsEveryValueBothWays) {
  for (int32_t q = I9::lowest; q <= I9::highest; ++q) {
    EXPECT_EQ(saturateToI9(q).value, q);
    EXPECT_EQ(narrow<int8_t>(q, Narrowing::saturate), q < -128 ? -128 : q > 127 ? 127 : q);
    EXPECT_EQ(narrow<uint8_t>(q, Narrowing::saturate), q < 0 ? 0 : q);
    EXPECT_EQ(narrow<uint8_t>(q, Narrowing::wrap), (q + 256) % 256);
    EXPECT_EQ(narrow<int8_t>(q, Narrowing::wrap), (q + 256 + 128) % 256 - 128);
  }
}

TEST(I9, SaturatesWhatItCannotHold) {
  EXPECT_EQ(saturateToI9(256).value, 255);
  EXPECT_EQ(saturateToI9(-257).value, -256);
  EXPECT_EQ(saturateToI9(INT32_MIN).value, -256);
  EXPECT_FALSE(isI9(256));
  EXPECT_FALSE(isI9(-257));
}

} // namespace
} // namespace tilerig
