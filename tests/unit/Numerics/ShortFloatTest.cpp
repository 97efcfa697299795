// Tests of fp16 and bf16 against a naive definition of rounding: the nearest of all values of the type.
#include "tests/support/Effort.h"
#include "tests/unit/Numerics/OnEveryTarget.h"

#include "isa/Numerics/Convert.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tilerig {
namespace {

// What distinguishes fp16 and bf16; the tests below run for both types.
struct HalfTraits {
  using Stored = Fp16;
  static constexpr int exponentBits = 5, fractionBits = 10;
  static Stored ofFloat(float x) { return fp16FromFloat(x); }
  static Stored ofDouble(double x) { return fp16FromDouble(x); }
};
struct BrainTraits {
  using Stored = Bf16;
  static constexpr int exponentBits = 8, fractionBits = 7;
  static Stored ofFloat(float x) { return bf16FromFloat(x); }
  static Stored ofDouble(double x) { return bf16FromDouble(x); }
};

// Naive implementation of fp16 or bf16 from the definition of the type.
template <class Traits>
struct Plain {
  static constexpr int fractionBits = Traits::fractionBits;
  static constexpr int bias = (1 << (Traits::exponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << Traits::exponentBits) - 1) << fractionBits;
  static constexpr uint16_t quiet = 1 << (fractionBits - 1);

  static bool isNan(uint16_t bits) { return (bits & 0x7fff) > infinity; }

  static double value(uint16_t bits) {
    const int exponent = (bits & 0x7fff) >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
    const double size = exponent == 0
                            ? std::ldexp(fraction, 1 - bias - fractionBits)
                            : std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits);
    return bits & 0x8000 ? -size : size;
  }

  // The value nearest to x, by bisection: positive finite values ascend with their bits, and `infinity`
  // stands for the value after the last one.
  static uint16_t nearest(double x) {
    const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const double size = std::fabs(x);
    uint16_t low = 0, high = infinity;
    if (size >= value(infinity))
      return sign | infinity;
    while (high - low > 1) {
      const uint16_t middle = (low + high) / 2;
      (value(middle) <= size ? low : high) = middle;
    }
    // The subtractions are exact if the distances from x to its two neighbours are nearly equal, so rounding
    // cannot change which distance is smaller.
    const double toLow = size - value(low), toHigh = value(high) - size;
    const bool up = toLow > toHigh || (toLow == toHigh && low % 2 == 1);
    return sign | (up ? high : low);
  }
};

template <class Traits>
class ShortFloat : public testing::Test {};
using Types = testing::Types<HalfTraits, BrainTraits>;
TYPED_TEST_SUITE(ShortFloat, Types);

std::vector<uint16_t> everyPattern() {
  std::vector<uint16_t> patterns(65536);
  std::iota(patterns.begin(), patterns.end(), 0);
  return patterns;
}

TYPED_TEST(ShortFloat, EveryPatternWidensExactly) {
  using Reference = Plain<TypeParam>;
  using Stored = typename TypeParam::Stored;
  std::vector<Stored> all;
  std::vector<float> scalar;
  for (const uint16_t bits : everyPattern()) {
    all.push_back({bits});
    scalar.push_back(toFloat(all.back()));
    if ((bits & 0x7fff) < Reference::infinity) {
      ASSERT_EQ(static_cast<double>(scalar.back()), Reference::value(bits)) << bits;
      ASSERT_EQ(std::signbit(scalar.back()), (bits & 0x8000) != 0) << bits;
    } else if ((bits & 0x7fff) == Reference::infinity) {
      ASSERT_EQ(scalar.back(), bits & 0x8000 ? -INFINITY : INFINITY);
    } else { // a NaN keeps its sign and the top bits of its fraction, and becomes quiet
      const uint32_t fraction = uint32_t(bits & (Reference::quiet - 1)) << (23 - TypeParam::fractionBits);
      ASSERT_EQ(bitsOfFloat(scalar.back()), uint32_t(bits & 0x8000) << 16 | 0x7fc00000 | fraction) << bits;
    }
  }
  onEveryTarget([&] {
    // Arrays of every length, so that every tail of a vector loop is tested and nothing is written beyond the
    // end.
    for (size_t count = 65536 - 70; count <= 65536; ++count) {
      std::vector<float> bulk(count + 1, 42.0f);
      toFloat(std::span<const Stored>(all).last(count), std::span(bulk).first(count));
      ASSERT_EQ(firstDifference(std::span(bulk).first(count), std::span(scalar).last(count)), count);
      ASSERT_EQ(bulk[count], 42.0f);
    }
  });
}

TYPED_TEST(ShortFloat, EveryPatternSurvivesTheRoundTrip) {
  using Reference = Plain<TypeParam>;
  using Stored = typename TypeParam::Stored;
  for (const uint16_t bits : everyPattern()) {
    const uint16_t expected = Reference::isNan(bits) ? bits | Reference::quiet : bits;
    ASSERT_EQ(TypeParam::ofFloat(toFloat(Stored{bits})).bits, expected);
    if (!Reference::isNan(bits)) {
      ASSERT_EQ(TypeParam::ofDouble(static_cast<double>(toFloat(Stored{bits}))).bits, expected);
    }
  }
}

// Each value of the type, each tie between two neighbours, and the floats next to them.
template <class Traits>
std::vector<float> delicateFloats() {
  using Reference = Plain<Traits>;
  std::vector<float> floats;
  for (uint16_t bits = 0; bits < Reference::infinity; ++bits) {
    const double value = Reference::value(bits), next = Reference::value(bits + 1);
    for (const double centre : {value, (value + next) / 2}) {
      const uint32_t around = bitsOfFloat(static_cast<float>(centre));
      for (int32_t offset = -3; offset <= 3; ++offset)
        for (const uint32_t sign : {0u, 0x80000000u})
          floats.push_back(floatOfBits((around + static_cast<uint32_t>(offset)) | sign));
    }
  }
  return floats;
}

template <class Traits>
uint16_t plainFromFloat(float x) {
  using Reference = Plain<Traits>;
  const uint32_t bits = bitsOfFloat(x);
  if (x == x)
    return Reference::nearest(x);
  const uint32_t fraction = (bits & 0x007fffff) >> (23 - Traits::fractionBits);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | Reference::infinity | Reference::quiet | fraction);
}

template <class Traits>
void expectAllRound(std::span<const float> floats) {
  using Stored = typename Traits::Stored;
  std::vector<Stored> scalar, bulk(floats.size());
  for (const float x : floats) {
    scalar.push_back(Traits::ofFloat(x));
    ASSERT_EQ(scalar.back().bits, plainFromFloat<Traits>(x)) << std::hex << bitsOfFloat(x);
  }
  onEveryTarget([&] {
    fromFloat(floats, std::span<Stored>(bulk));
    const auto [a, b] = std::ranges::mismatch(bulk, scalar);
    ASSERT_EQ(a, bulk.end()) << std::hex << bitsOfFloat(floats[static_cast<size_t>(a - bulk.begin())]);
  });
}

TYPED_TEST(ShortFloat, FloatsRoundToNearestEvenAtEveryTie) {
  expectAllRound<TypeParam>(delicateFloats<TypeParam>());
}

TYPED_TEST(ShortFloat, FloatsRoundToNearestEvenEverywhere) {
  expectAllRound<TypeParam>(floatsAtStride(2503));
}

// Tests all 2^32 floats. ctest does not run this test: --gtest_also_run_disabled_tests
// --gtest_filter='*EveryFloat*'
TYPED_TEST(ShortFloat, DISABLED_EveryFloatRoundsToNearestEven) {
  std::vector<float> block(1 << 20);
  for (uint64_t start = 0; start < uint64_t(1) << 32; start += block.size()) {
    for (size_t i = 0; i < block.size(); ++i)
      block[i] = floatOfBits(static_cast<uint32_t>(start + i));
    expectAllRound<TypeParam>(block);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// A double is rounded once: just beside a tie it must not become the tie, as rounding to float first would
// do.
TYPED_TEST(ShortFloat, DoublesRoundOnce) {
  using Reference = Plain<TypeParam>;
  for (uint16_t bits = 0; bits < Reference::infinity; ++bits) {
    const double tie = (Reference::value(bits) + Reference::value(bits + 1)) / 2;
    const uint16_t below = bits, above = bits + 1, even = bits % 2 == 0 ? below : above;
    ASSERT_EQ(TypeParam::ofDouble(tie).bits, even) << bits;
    ASSERT_EQ(TypeParam::ofDouble(std::nextafter(tie, 0)).bits, below) << bits;
    ASSERT_EQ(TypeParam::ofDouble(std::nextafter(tie, INFINITY)).bits, above) << bits;
    ASSERT_EQ(TypeParam::ofDouble(-std::nextafter(tie, INFINITY)).bits, above | 0x8000) << bits;
  }
}

TYPED_TEST(ShortFloat, DoublesOfAnySize) {
  using Reference = Plain<TypeParam>;
  Random random(1);
  for (uint64_t i = 0; i < test::rounds(300'000); ++i) {
    const double x = std::bit_cast<double>(random.next());
    if (x != x)
      continue;
    ASSERT_EQ(TypeParam::ofDouble(x).bits, Reference::nearest(x)) << x;
    int exponent; // x with a random exponent in or near the range of the type
    const double near = std::ldexp(std::frexp(x, &exponent), int(random.within(-160, 130)));
    ASSERT_EQ(TypeParam::ofDouble(near).bits, Reference::nearest(near)) << near;
  }
  for (const double x : {0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023})
    EXPECT_EQ(TypeParam::ofDouble(x).bits, Reference::nearest(x));
}

TYPED_TEST(ShortFloat, NanOfDoubleKeepsSignAndTopBits) {
  using Reference = Plain<TypeParam>;
  const uint16_t nan = Reference::infinity | Reference::quiet;
  const auto of = [](uint64_t bits) { return TypeParam::ofDouble(std::bit_cast<double>(bits)).bits; };
  EXPECT_EQ(of(0x7ff8000000000000), nan);
  EXPECT_EQ(of(0xfff8000000000000), nan | 0x8000);
  EXPECT_EQ(of(0x7ff0000000000001), nan) << "a signalling NaN whose fraction is lost stays a NaN";
  EXPECT_EQ(of(0x7ff4000000000000), nan | Reference::quiet >> 1);
  EXPECT_EQ(of(0x7ff0000000000000), Reference::infinity);
}

} // namespace
} // namespace tilerig
