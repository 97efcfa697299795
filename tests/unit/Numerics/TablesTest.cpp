// Tests of lookup tables: every entry equals its definition computed in double, and looking up elements gives
// the same bits as applying the function to each element.
#include "tests/unit/Numerics/OnEveryTarget.h"
#include "tests/unit/Numerics/Oracle.h"

#include "isa/Numerics/Tables.h"

#include <span>

namespace tilerig {
namespace {

using F = MathFunction;

TEST(Tables, EntriesAreTheFunctionInDoubleRoundedDividedRounded) {
  struct TablesCase {
    MathFunction function;
    float alpha, beta, inScale, outScale;
    int32_t inZero, outZero;
  };
  for (const TablesCase &c : {TablesCase{F::sigmoid, 0, 0, 0.05f, 1.0f / 256, 3, -128},
                              {F::tanh, 0, 0, 0.03f, 1.0f / 128, -7, 0},
                              {F::geluErf, 0, 0, 0.04f, 0.02f, 10, -120},
                              {F::silu, 0, 0, 0.06f, 0.03f, 0, -100},
                              {F::hardSwish, 0, 0, 0.06f, 0.03f, 0, -100},
                              {F::exp, 0, 0, 0.02f, 0.1f, 0, -128},
                              {F::leakyRelu, 0.1f, 0, 0.1f, 0.07f, 5, 6},
                              {F::elu, 1, 0, 0.1f, 0.07f, 5, 6},
                              {F::log, 0, 0, 0.1f, 0.07f, 0, 0}}) {
    const auto table = functionTable<int8_t, int8_t>(c.function, c.alpha, c.beta, {c.inScale, c.inZero},
                                                     c.outScale, Landing::of<int8_t>(c.outZero));
    ASSERT_EQ(table.size(), 256u);
    for (int32_t q = -128; q <= 127; ++q) {
      const auto x = static_cast<float>(static_cast<double>(q - c.inZero) * c.inScale);
      const auto y = static_cast<float>(oracle<double>(c.function, x, c.alpha, c.beta));
      const double divided = static_cast<float>(static_cast<double>(y) / c.outScale);
      const double rounded = std::isnan(divided) ? 0 : std::nearbyint(divided);
      const double expected = std::fmin(std::fmax(rounded + c.outZero, -128), 127);
      EXPECT_EQ(table[tableIndex(static_cast<int8_t>(q))], expected) << nameOf(c.function) << ' ' << q;
    }
  }
}

TEST(Tables, EveryTypeStartsAtItsLowestValue) {
  const auto identity = [](float x) { return x; };
  const Quantisation unit;
  const auto i8 = realTable<int8_t>(unit, identity);
  const auto u8 = realTable<uint8_t>(unit, identity);
  const auto i9 = realTable<I9>(unit, identity);
  EXPECT_EQ(i8.size(), 256u);
  EXPECT_EQ(u8.size(), 256u);
  EXPECT_EQ(i9.size(), 512u);
  EXPECT_EQ(i8.front(), -128);
  EXPECT_EQ(u8.front(), 0);
  EXPECT_EQ(i9.front(), -256);
  EXPECT_EQ(i9.back(), 255);
  EXPECT_EQ(u8[tableIndex(uint8_t(200))], 200);
  EXPECT_EQ(i9[tableIndex(I9{-1})], -1);
}

TEST(Tables, SaturateOrWrapLikeTheElementWisePath) {
  Landing landing;
  const auto clipped = functionTable<I9, uint8_t>(F::identity, 0, 0, {1, 0}, 1, landing);
  EXPECT_EQ(clipped[tableIndex(I9{-5})], 0);
  landing.narrowing = Narrowing::wrap;
  const auto wrapped = functionTable<I9, uint8_t>(F::identity, 0, 0, {1, 0}, 1, landing);
  EXPECT_EQ(wrapped[tableIndex(I9{-5})], 251);
}

TEST(Tables, NanLandsOnTheZeroPoint) {
  const auto table = functionTable<int8_t, int8_t>(F::sqrt, 0, 0, {0.5f, 0}, 0.25f, Landing::of<int8_t>(-9));
  EXPECT_EQ(table[tableIndex(int8_t(-4))], -9);
  EXPECT_EQ(table[tableIndex(int8_t(8))], -9 + 8);
}

} // namespace
} // namespace tilerig
