#include "compiler/Planning/Quantisation/ActivationParameters.h"
#include "compiler/Planning/Quantisation/AlignRanges.h"
#include "isa/Numerics/Quantise.h"
#include "tests/support/Random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tilerig::test {
using namespace compiler;
namespace {

ValueRange randomRange(Random &random) {
  const auto end = [&] {
    return static_cast<float>(
        std::ldexp(random.between(0, 1 << 24), static_cast<int>(random.between(-60, 60))));
  };
  return {random.chance(20) ? 0 : -end(), random.chance(20) ? 0 : end()};
}

float throughInt8(float x, QuantisationParameters parameters) {
  const auto q = quantise<int8_t>(x, parameters.scale, Landing::of<int8_t>(parameters.zeroPoint));
  return dequantise(q, parameters.scale, parameters.zeroPoint);
}
float throughUint8(float x, QuantisationParameters parameters) {
  const auto q = quantise<uint8_t>(x, parameters.scale, Landing::of<uint8_t>(parameters.zeroPoint));
  return dequantise(q, parameters.scale, parameters.zeroPoint);
}

// Scale and zero point worked out by hand: 4 / 255 = 0.015686..., and 1 / 0.015686... = 63.75, which rounds
// to 64.
TEST(AsymmetricParameters, WorkedByHand) {
  const ValueRange range{-1, 3};
  EXPECT_EQ(asymmetricParameters(range, QuantisedType::uint8), (QuantisationParameters{4.0f / 255, 64}));
  EXPECT_EQ(asymmetricParameters(range, QuantisedType::int8), (QuantisationParameters{4.0f / 255, -64}));
  EXPECT_EQ(asymmetricParameters({0, 255}, QuantisedType::uint8), (QuantisationParameters{1, 0}));
  EXPECT_EQ(asymmetricParameters({0, 255}, QuantisedType::int8), (QuantisationParameters{1, -128}));
  EXPECT_EQ(asymmetricParameters({-255, 0}, QuantisedType::int8), (QuantisationParameters{1, 127}));
  // Zero points that are ties (0.5 and 1.5) round to the even integer.
  EXPECT_EQ(asymmetricParameters({-0.5f, 254.5f}, QuantisedType::uint8), (QuantisationParameters{1, 0}));
  EXPECT_EQ(asymmetricParameters({-1.5f, 253.5f}, QuantisedType::uint8), (QuantisationParameters{1, 2}));
}

TEST(AsymmetricParameters, OfZeroAlone) {
  EXPECT_EQ(asymmetricParameters({0, 0}, QuantisedType::int8), (QuantisationParameters{1, 0}));
  EXPECT_EQ(asymmetricParameters({0, 0}, QuantisedType::uint8), (QuantisationParameters{1, 0}));
}

TEST(AsymmetricParameters, ZeroIsExactAndWithinTheType) {
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const ValueRange range = randomRange(random);
    const auto narrow = asymmetricParameters(range, QuantisedType::int8);
    const auto wide = asymmetricParameters(range, QuantisedType::uint8);
    EXPECT_EQ(throughInt8(0, narrow), 0);
    EXPECT_EQ(throughUint8(0, wide), 0);
    EXPECT_EQ(static_cast<uint8_t>(wide.zeroPoint), wide.zeroPoint);
    EXPECT_EQ(static_cast<int8_t>(narrow.zeroPoint), narrow.zeroPoint);
    EXPECT_EQ(narrow.scale, wide.scale);
    if (range.low < range.high) {
      EXPECT_EQ(narrow.zeroPoint, wide.zeroPoint - 128);
    }
  }
}

TEST(AsymmetricParameters, ErrorIsAtMostHalfAScaleWithinTheRange) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const ValueRange range = randomRange(random);
    const auto narrow = asymmetricParameters(range, QuantisedType::int8);
    const auto wide = asymmetricParameters(range, QuantisedType::uint8);
    for (int step = 0; step <= 16; ++step) {
      const double share = step / 16.0;
      const auto x = static_cast<float>(range.low + share * (static_cast<double>(range.high) - range.low));
      // Tolerance: half a step, plus 255 steps times the relative rounding errors of scale, quotient and
      // product.
      const double bound = narrow.scale * (0.5 + 255 * 0x1p-22);
      EXPECT_LE(std::fabs(throughInt8(x, narrow) - static_cast<double>(x)), bound) << x;
      EXPECT_LE(std::fabs(throughUint8(x, wide) - static_cast<double>(x)), bound) << x;
    }
  }
}

TEST(AsymmetricParameters, OfTheLeastAndTheLargestFloats) {
  constexpr float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(std::isfinite(asymmetricParameters({-most, most}, QuantisedType::int8).scale));
  EXPECT_EQ(asymmetricParameters({-least, least}, QuantisedType::int8).scale, 0x1p-126f);
}

TEST(SymmetricParameters, BothEndsAreHeldAndMirrored) {
  EXPECT_EQ(symmetricParameters({-2, 127}), (QuantisationParameters{1, 0}));
  EXPECT_EQ(symmetricParameters({-254, 127}), (QuantisationParameters{2, 0}));
  EXPECT_EQ(symmetricParameters({0, 0}), (QuantisationParameters{1, 0}));
}

TEST(AlignRanges, GroupsGetTheirUnion) {
  RangesByName ranges = {{"a", {-1, 2}}, {"b", {0, 5}}, {"c", {-3, 0}}, {"d", {-9, 9}}};
  const SharingGroup groups[] = {{"a", "b"}};
  alignRanges(ranges, groups);
  EXPECT_EQ(ranges.at("a"), (ValueRange{-1, 5}));
  EXPECT_EQ(ranges.at("b"), (ValueRange{-1, 5}));
  EXPECT_EQ(ranges.at("c"), (ValueRange{-3, 0}));
  EXPECT_EQ(ranges.at("d"), (ValueRange{-9, 9}));
}

TEST(AlignRanges, GroupsThatMeetAreOneInAnyOrder) {
  std::vector<SharingGroup> groups = {{"a", "b"}, {"c", "d"}, {"b", "c"}, {"e", "absent"}};
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    RangesByName ranges = {{"a", {-1, 1}}, {"b", {0, 2}}, {"c", {-3, 0}}, {"d", {-1, 4}}, {"e", {0, 7}}};
    random.shuffle(groups);
    alignRanges(ranges, groups);
    for (const char *name : {"a", "b", "c", "d"})
      EXPECT_EQ(ranges.at(name), (ValueRange{-3, 4})) << name;
    EXPECT_EQ(ranges.at("e"), (ValueRange{0, 7}));
    EXPECT_EQ(ranges.size(), 5u);
  }
}

TEST(AlignCheaply, NoTensorLosesMoreThanABit) {
  const ValueRange operands[] = {{-4, 4}, {-2, 2}, {-1, 2.5f}};
  const std::vector<ValueRange> aligned = alignCheaply(operands);
  EXPECT_EQ(aligned[0], (ValueRange{-4, 4}));
  EXPECT_EQ(aligned[1], (ValueRange{-4, 4}));
  EXPECT_EQ(aligned[2], (ValueRange{-1, 2.5f}));
}

} // namespace
} // namespace tilerig::test
