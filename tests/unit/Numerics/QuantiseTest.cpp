// Tests of quantising, dequantising and requantising: against naive arithmetic in double and integers, and
// vectorised against scalar code on every instruction set.
#include "tests/unit/Numerics/OnEveryTarget.h"

#include "isa/Numerics/Quantise.h"
#include "isa/Numerics/Requantise.h"

#include <algorithm>
#include <span>

namespace tilerig {
namespace {

// One fp32 operation, computed in double and rounded once: the 53 bits of a double make this exact.
float plainProduct(float a, float b) { return static_cast<float>(static_cast<double>(a) * b); }
float plainQuotient(float a, float b) { return static_cast<float>(static_cast<double>(a) / b); }

// Rounding with the C library's functions, to integers that cannot overflow.
int64_t plainRounded(float real, Rounding rounding) {
  if (std::isnan(real))
    return 0;
  const double bounded = std::clamp<double>(real, -1e9, 1e9);
  switch (rounding) {
  case Rounding::halfEven:
    return std::llrint(bounded);
  case Rounding::halfAway:
    return std::llround(bounded);
  case Rounding::towardZero:
    return static_cast<int64_t>(bounded);
  case Rounding::down:
    return std::llround(std::floor(bounded));
  }
  return 0;
}
int32_t plainLand(float real, const Landing &landing, int32_t lowest, int32_t highest) {
  int64_t q = plainRounded(real, landing.rounding) + landing.zeroPoint;
  q = std::min<int64_t>(std::max<int64_t>(q, landing.low), landing.high);
  if (landing.narrowing == Narrowing::saturate || highest - lowest != 255)
    return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(q, lowest), highest));
  const int64_t low8 = ((q % 256) + 256) % 256;
  return static_cast<int32_t>(low8 > highest ? low8 - 256 : low8);
}

template <class T>
class Quantised : public testing::Test {
public:
  static constexpr int32_t lowest = StorageRange<T>::lowest, highest = StorageRange<T>::highest;

  static std::vector<Landing> landings() {
    std::vector<Landing> all;
    for (const int32_t zeroPoint : {0, -128, 127, 255, -256, 3})
      for (const auto rounding :
           {Rounding::halfEven, Rounding::halfAway, Rounding::towardZero, Rounding::down})
        for (const auto narrowing : {Narrowing::saturate, Narrowing::wrap})
          for (const auto &[low, high] : {std::pair{lowest, highest}, {-256, 255}, {-7, 100}})
            all.push_back({zeroPoint, low, high, rounding, narrowing});
    return all;
  }
};
using Types = testing::Types<int8_t, uint8_t, I9>;
TYPED_TEST_SUITE(Quantised, Types);

const std::vector<float> oddScales = {0.0f,  -0.0f,  NAN,       INFINITY, -INFINITY,      -0.75f,
                                      1e30f, 1e-30f, 0x1p-149f, 0x1p127f, 0x1.fffffep127f};

// Accumulators around every tie of a power-of-two scale, around the limit of exact fp32 integers, and at the
// limits of the type.
std::vector<int32_t> delicateAccumulators() {
  std::vector<int32_t> all;
  for (int32_t i = -1100; i <= 1100; ++i)
    all.push_back(i);
  for (const int64_t centre :
       {int64_t(1) << 24, (int64_t(1) << 25) + 2, int64_t(1) << 30, int64_t(INT32_MAX)})
    for (int64_t offset = -70; offset <= 70; ++offset)
      for (const int64_t sign : {-1, 1})
        all.push_back(
            static_cast<int32_t>(std::clamp<int64_t>(sign * (centre + offset), INT32_MIN, INT32_MAX)));
  Random random(7);
  for (int i = 0; i < 2000; ++i)
    all.push_back(static_cast<int32_t>(random.bits()) >> random.within(0, 24));
  return all;
}

// Scales whose products with integers are often ties of the rounding, and ordinary scales.
std::vector<float> delicateScales() {
  std::vector<float> all = {0.5f, 0.25f, 0.125f,       0x1p-16f,      0x1p-23f,
                            1.5f, 0.1f,  0.003921569f, 0x1.000002p-1f};
  all.insert(all.end(), oddScales.begin(), oddScales.end());
  Random random(8);
  for (int i = 0; i < 6; ++i)
    all.push_back(
        std::ldexp(1.0f + static_cast<float>(random.bits()) * 0x1p-32f, -int(random.within(1, 26))));
  return all;
}

TYPED_TEST(Quantised, RequantiseIsThePageLiterally) {
  const auto accumulators = delicateAccumulators();
  for (const Landing &landing : this->landings())
    for (const float scale : delicateScales())
      for (const int32_t acc : accumulators) {
        const float real = plainProduct(static_cast<float>(static_cast<double>(acc)), scale);
        ASSERT_EQ(integerOf(requantise<TypeParam>(acc, scale, landing)),
                  plainLand(real, landing, this->lowest, this->highest))
            << acc << " * " << scale;
      }
}

TYPED_TEST(Quantised, BulkRequantiseHasTheSameBits) {
  const auto accumulators = delicateAccumulators();
  const std::span<const int32_t> acc(accumulators);
  for (const Landing &landing : this->landings())
    for (const float scale : delicateScales()) {
      std::vector<TypeParam> scalar, bulk(acc.size());
      for (const int32_t a : acc)
        scalar.push_back(requantise<TypeParam>(a, scale, landing));
      onEveryTarget([&] {
        requantise(acc, scale, landing, std::span(bulk));
        const auto [at, other] = std::ranges::mismatch(bulk, scalar);
        ASSERT_EQ(at, bulk.end()) << acc[static_cast<size_t>(at - bulk.begin())] << " * " << scale;
      });
    }
}

TYPED_TEST(Quantised, PerChannelScalesMeetTheirChannels) {
  const auto accumulators = delicateAccumulators();
  const auto someScales = delicateScales();
  Random random(9);
  for (const size_t channels : {1, 2, 3, 7, 16, 31, 64, 100, 257, 511, 512, 513, 1000}) {
    std::vector<float> scales;
    for (size_t c = 0; c < channels; ++c)
      scales.push_back(someScales[static_cast<size_t>(random.within(0, int64_t(someScales.size()) - 1))]);
    for (const size_t rows : {size_t(0), size_t(1), size_t(2), size_t(3), 1500 / channels + 1}) {
      const auto landing = Landing::of<TypeParam>(3);
      std::vector<int32_t> acc;
      std::vector<TypeParam> scalar, bulk(rows * channels);
      for (size_t i = 0; i < rows * channels; ++i) {
        acc.push_back(accumulators[i % accumulators.size()]);
        scalar.push_back(requantise<TypeParam>(acc[i], scales[i % channels], landing));
      }
      onEveryTarget([&] {
        requantise(std::span<const int32_t>(acc), std::span<const float>(scales), landing, std::span(bulk));
        ASSERT_EQ(bulk, scalar) << channels << " channels, " << rows << " rows";
      });
    }
  }
}

// Dequantisation of all stored integers with all zero points.
TYPED_TEST(Quantised, DequantiseEveryPair) {
  std::vector<TypeParam> all;
  for (int32_t q = this->lowest; q <= this->highest; ++q)
    all.push_back(storedAs<TypeParam>(q, Narrowing::saturate));
  std::vector<float> scalar(all.size()), bulk(all.size());
  for (int32_t zeroPoint = I9::lowest; zeroPoint <= I9::highest; ++zeroPoint)
    for (const float scale : {0.1f, 0.003921569f, 1e-30f, -2.0f, 0x1p-149f}) {
      for (size_t i = 0; i < all.size(); ++i) {
        scalar[i] = dequantise(all[i], scale, zeroPoint);
        ASSERT_EQ(scalar[i], plainProduct(static_cast<float>(integerOf(all[i]) - zeroPoint), scale));
      }
      onEveryTarget([&] {
        dequantise(std::span<const TypeParam>(all), scale, zeroPoint, std::span(bulk));
        ASSERT_EQ(firstDifference(bulk, scalar), all.size());
      });
    }
}

// Real numbers at each tie (half-way between two multiples of the scale), next to it, and far out of range.
std::vector<float> delicateReals(float scale) {
  std::vector<float> all = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0x1p-149f};
  for (int32_t i = -520; i <= 520; ++i) {
    const float tie = (static_cast<float>(i) + 0.5f) * scale;
    for (const float x :
         {tie, std::nextafter(tie, -INFINITY), std::nextafter(tie, INFINITY), float(i) * scale})
      all.push_back(x);
  }
  return all;
}

TYPED_TEST(Quantised, QuantiseIsThePageLiterally) {
  for (const Landing &landing : this->landings())
    for (const float scale : delicateScales()) {
      const auto reals = delicateReals(scale);
      std::vector<TypeParam> scalar, bulk(reals.size());
      for (const float x : reals) {
        scalar.push_back(quantise<TypeParam>(x, scale, landing));
        ASSERT_EQ(integerOf(scalar.back()),
                  plainLand(plainQuotient(x, scale), landing, this->lowest, this->highest))
            << x << " / " << scale;
      }
      onEveryTarget([&] {
        quantise(std::span<const float>(reals), scale, landing, std::span(bulk));
        ASSERT_EQ(bulk, scalar) << scale;
      });
    }
}

TYPED_TEST(Quantised, FloatsOfAllSizesQuantiseAlike) {
  const auto reals = floatsAtStride(10007);
  const auto landing = Landing::of<TypeParam>(5);
  std::vector<TypeParam> scalar, bulk(reals.size());
  for (const float x : reals)
    scalar.push_back(quantise<TypeParam>(x, 0.037f, landing));
  onEveryTarget([&] {
    quantise(std::span<const float>(reals), 0.037f, landing, std::span(bulk));
    ASSERT_EQ(bulk, scalar);
  });
}

// Rescaling divides by the new scale. Scales in a ratio of n / 2 give many ties, where multiplying by the
// ratio gives another integer, as isa/Numerics/README.md warns.
TEST(Rescale, EveryValueDividesByTheNewScale) {
  Random random(10);
  size_t productsDiffer = 0;
  for (int i = 0; i < 4000; ++i) {
    const float to = std::ldexp(1.0f + float(random.bits()) * 0x1p-32f, -int(random.within(4, 9)));
    const float from = to * (static_cast<float>(random.within(1, 7)) / 2);
    const auto zeroPoint = static_cast<int32_t>(random.within(-128, 127));
    const auto landing = Landing::of<int8_t>(static_cast<int32_t>(random.within(-128, 127)));
    for (int32_t q = -128; q <= 127; ++q) {
      const float real = plainProduct(static_cast<float>(q - zeroPoint), from);
      const int8_t result = rescale<int8_t>(static_cast<int8_t>(q), from, zeroPoint, to, landing);
      ASSERT_EQ(result, plainLand(plainQuotient(real, to), landing, -128, 127));
      productsDiffer += result != land<int8_t>(static_cast<float>(q - zeroPoint) * (from / to), landing);
    }
  }
  EXPECT_GT(productsDiffer, 0u);
}

TEST(Scales, FollowTheirOrder) {
  Random random(11);
  size_t orderMatters = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto next = [&] { return 0.001f + static_cast<float>(random.bits()) * 0x1p-36f; };
    const float a = next(), b = next(), c = next();
    EXPECT_EQ(requantisationScale(a, b, c), plainQuotient(plainProduct(a, b), c));
    orderMatters += requantisationScale(a, b, c) != plainProduct(a, plainQuotient(b, c));
    const auto n = static_cast<uint32_t>(random.within(1, 1 << 24));
    EXPECT_EQ(averageFactor(a, b, n), plainQuotient(a, plainProduct(b, static_cast<float>(n))));
  }
  EXPECT_GT(orderMatters, 0u);
}

TEST(Narrow, EveryI9OnEveryTarget) {
  std::vector<I9> all;
  for (int32_t q = I9::lowest; q <= I9::highest; ++q)
    all.push_back(saturateToI9(q));
  for (const auto narrowing : {Narrowing::saturate, Narrowing::wrap})
    onEveryTarget([&] {
      std::vector<int8_t> i8(all.size());
      std::vector<uint8_t> u8(all.size());
      narrow(std::span<const I9>(all), narrowing, std::span(i8));
      narrow(std::span<const I9>(all), narrowing, std::span(u8));
      for (size_t i = 0; i < all.size(); ++i) {
        const Landing landing{0, -256, 255, Rounding::halfEven, narrowing};
        ASSERT_EQ(i8[i], plainLand(all[i].value, landing, -128, 127));
        ASSERT_EQ(u8[i], plainLand(all[i].value, landing, 0, 255));
      }
    });
}

// Clamp bounds of i9 with a narrower output: as documented, 200 becomes 127 in i8 when saturating, and -56
// when wrapping.
TEST(Landing, WrapLosesTheSign) {
  Landing landing;
  EXPECT_EQ(land<int8_t>(200, landing), 127);
  EXPECT_EQ(land<uint8_t>(-3, landing), 0);
  landing.narrowing = Narrowing::wrap;
  EXPECT_EQ(land<int8_t>(200, landing), -56);
  EXPECT_EQ(land<uint8_t>(-3, landing), 253);
  EXPECT_EQ(land<uint8_t>(1000, landing), 255) << "bounded to i9 before the upper bits are dropped";
}

TEST(Landing, RefusesWhatNineBitsCannotHold) {
  EXPECT_TRUE(Landing::of<int8_t>(-128).isValid());
  EXPECT_TRUE((Landing{0, -256, 255}).isValid());
  EXPECT_FALSE((Landing{256, 0, 255}).isValid());
  EXPECT_FALSE((Landing{0, -257, 255}).isValid());
  EXPECT_FALSE((Landing{0, 0, 256}).isValid());
  EXPECT_FALSE((Landing{0, 5, 4}).isValid());
}

} // namespace
} // namespace tilerig
