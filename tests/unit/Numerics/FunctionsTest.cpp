// Tests of the unary float functions: accuracy against the C library in long double, equal bits on every
// instruction set, and special values.
#include "tests/unit/Numerics/OnEveryTarget.h"
#include "tests/unit/Numerics/Oracle.h"

#include "isa/Numerics/Functions.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace tilerig {
namespace {

using F = MathFunction;

std::vector<MathFunction> everyFunction() {
  std::vector<MathFunction> all;
  for (size_t i = 0; i < numMathFunctions; ++i)
    all.push_back(static_cast<MathFunction>(i));
  return all;
}

// Pairs of parameters with which a function is tested; a function without parameters gets one pair, which it
// ignores.
std::vector<std::array<float, 2>> parametersOf(MathFunction function) {
  switch (function) {
  case F::clip:
    return {{-1.5f, 6.0f}, {0, 0x1p-140f}, {-INFINITY, 3}};
  case F::selu:
    return {{1.67326319f, 1.05070102f}};
  case F::hardSigmoid:
    return {{0.2f, 0.5f}, {1.0f / 6, 0.5f}};
  case F::leakyRelu:
    return {{0.01f, 0}, {0.2f, 0}};
  case F::thresholdedRelu:
    return {{1, 0}, {-0.3f, 0}};
  case F::elu:
  case F::celu:
    return {{1, 0}, {0.7f, 0}, {2.5f, 0}};
  default:
    return {{0, 0}};
  }
}

// The largest error in ulp measured over every float, rounded up, as isa/Numerics/README.md states it.
// Functions of at most one fp32 operation are correctly rounded as in IEEE 754.
double statedError(MathFunction function) {
  switch (function) {
  case F::identity:
  case F::relu:
  case F::thresholdedRelu:
  case F::clip:
  case F::abs:
  case F::neg:
  case F::floor:
  case F::ceil:
  case F::round:
  case F::sign:
  case F::logicalNot:
  case F::isNan:
  case F::isInf:
    return 0;
  case F::leakyRelu:
  case F::sqrt:
  case F::reciprocal:
    return 0.5;
  default:
    return 0.500001;
  }
}

class EachFunction : public testing::TestWithParam<MathFunction> {};
INSTANTIATE_TEST_SUITE_P(Math, EachFunction, testing::ValuesIn(everyFunction()),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

struct Worst {
  double error = 0;
  float at = 0;

  void add(double other, float x) {
    if (!(other <= error))
      *this = {other, x};
  }
};

TEST_P(EachFunction, ErrsByLittleMoreThanHalfAnUlp) {
  const auto x = floatsAtStride(8191);
  std::vector<float> out(x.size());
  for (const auto &[alpha, beta] : parametersOf(GetParam())) {
    evaluate(GetParam(), x, out, alpha, beta);
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto truth = oracle<long double>(GetParam(), x[i], alpha, beta);
      worst.add(static_cast<double>(errorInUlp(out[i], truth)), x[i]);
    }
    EXPECT_LE(worst.error, statedError(GetParam())) << "at " << std::hexfloat << worst.at;
    if (statedError(GetParam()) > 0) {
      EXPECT_GT(worst.error, 0.4) << "a measurement that sees no rounding measures nothing";
    }
  }
}

TEST_P(EachFunction, EveryInstructionSetGivesTheBitsOfTheScalar) {
  const auto x = floatsAtStride(16381);
  for (const auto &[alpha, beta] : parametersOf(GetParam())) {
    std::vector<float> scalar, bulk(x.size());
    for (const float value : x)
      scalar.push_back(evaluate(GetParam(), value, alpha, beta));
    onEveryTarget([&] {
      evaluate(GetParam(), x, bulk, alpha, beta);
      const size_t at = firstDifference(bulk, scalar);
      ASSERT_EQ(at, x.size()) << "at " << std::hexfloat << x[at];
    });
  }
}

// The largest error over all floats. ctest does not run this test, because it takes minutes per function; it
// prints what isa/Numerics/README.md states:
//   tilerig-numerics-tests --gtest_also_run_disabled_tests --gtest_filter='*EveryFloat/exp'
// TILERIG_SWEEP_STRIDE=17 in the environment tests every 17th float. Correctly rounded results have an error
// of at most half an ulp, so only the others are measured.
TEST_P(EachFunction, DISABLED_EveryFloat) {
  const char *wanted = std::getenv("TILERIG_SWEEP_STRIDE");
  const uint64_t stride = std::max(1, wanted ? std::atoi(wanted) : 1);
  for (const auto &[alpha, beta] : parametersOf(GetParam())) {
    Worst worst;
    uint64_t misrounded = 0;
    std::vector<float> x(1 << 16), out(x.size()), other(x.size());
    for (uint64_t start = 0; start < uint64_t(1) << 32; start += x.size() * stride) {
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = floatOfBits(static_cast<uint32_t>(start + i * stride));
      evaluate(GetParam(), x, out, alpha, beta);
      if (start / stride % (16 * x.size()) == 0) // other instruction sets are slow, so few inputs test them
        onEveryTarget([&, alpha = alpha, beta = beta] {
          evaluate(GetParam(), x, other, alpha, beta);
          ASSERT_EQ(firstDifference(out, other), x.size());
        });
      for (size_t i = 0; i < x.size(); ++i) {
        const auto truth = oracle<double>(GetParam(), x[i], alpha, beta);
        if (out[i] == static_cast<float>(truth) || (std::isnan(out[i]) && std::isnan(truth)))
          continue;
        ++misrounded;
        worst.add(static_cast<double>(errorInUlp<long double>(out[i], truth)), x[i]);
      }
    }
    std::printf("%-12s alpha %-9g beta %-9g misrounded %8llu, at worst %.9f ulp, at %a\n",
                std::string(nameOf(GetParam())).c_str(), double(alpha), double(beta),
                static_cast<unsigned long long>(misrounded), worst.error, double(worst.at));
    std::fflush(stdout);
    EXPECT_LE(worst.error, statedError(GetParam()));
  }
}

// Any NaN as input gives the one canonical NaN, on every instruction set. If the function has a limit at an
// infinite input, the result is this limit and no NaN.
TEST_P(EachFunction, NanHasOnePattern) {
  if (GetParam() == F::identity || GetParam() == F::logicalNot || GetParam() == F::isNan ||
      GetParam() == F::isInf)
    return;
  const auto [alpha, beta] = parametersOf(GetParam())[0];
  const std::vector<float> x = {NAN, -NAN, floatOfBits(0x7f800001), floatOfBits(0xffffffff),
                                floatOfBits(0xff812345)};
  for (const float value : x)
    EXPECT_EQ(bitsOfFloat(evaluate(GetParam(), value, alpha, beta)), 0x7fc00000u);
  onEveryTarget([&] {
    std::vector<float> out(x.size());
    evaluate(GetParam(), x, out, alpha, beta);
    for (const float y : out)
      EXPECT_EQ(bitsOfFloat(y), 0x7fc00000u);
  });
}

TEST_P(EachFunction, TailsOfEveryLengthAndInPlace) {
  const auto [alpha, beta] = parametersOf(GetParam())[0];
  onEveryTarget([&, alpha = alpha, beta = beta] {
    for (size_t count = 0; count <= 40; ++count) {
      std::vector<float> data(count + 1, 0.25f);
      data[count] = 42;
      evaluate(GetParam(), std::span<const float>(data).first(count), std::span(data).first(count), alpha,
               beta);
      for (size_t i = 0; i < count; ++i)
        ASSERT_EQ(bitsOfFloat(data[i]), bitsOfFloat(evaluate(GetParam(), 0.25f, alpha, beta)));
      ASSERT_EQ(data[count], 42);
    }
  });
}

TEST(MathFunction, NamesParseBack) {
  for (const MathFunction function : everyFunction())
    EXPECT_EQ(mathFunctionNamed(nameOf(function)), function);
  EXPECT_EQ(mathFunctionNamed("hard_swish"), F::hardSwish);
  EXPECT_EQ(mathFunctionNamed("not"), F::logicalNot);
  for (const char *unknown : {"", "Exp", "exp ", "hardSwish", "gelu"})
    EXPECT_EQ(mathFunctionNamed(unknown), std::nullopt) << unknown;
}

struct Edge {
  MathFunction function;
  float x, expected;
  float alpha = 0, beta = 0;
};

// Special values give the stated results, compared as bits, so that signed zeros count.
TEST(Functions, SpecialValuesAreAsStated) {
  const float inf = INFINITY, tiny = 0x1p-149f, largest = 0x1.fffffep127f;
  for (const auto &[function, x, expected, alpha, beta] : std::initializer_list<Edge>{
           {F::exp, 0.0f, 1},
           {F::exp, -0.0f, 1},
           {F::exp, inf, inf},
           {F::exp, -inf, 0},
           {F::exp, 88.7228394f, inf},
           {F::exp, 88.7228317f, 0x1.ffff08p127f},
           {F::exp, -103.972084f, 0},
           {F::exp, -103.972076f, tiny},
           {F::exp, largest, inf},
           {F::exp, -largest, 0},
           {F::log, 1, 0},
           {F::log, 0.0f, -inf},
           {F::log, -0.0f, -inf},
           {F::log, -1, NAN},
           {F::log, -inf, NAN},
           {F::log, -tiny, NAN},
           {F::log, inf, inf},
           {F::sigmoid, inf, 1},
           {F::sigmoid, -inf, 0},
           {F::sigmoid, 0, 0.5f},
           {F::tanh, inf, 1},
           {F::tanh, -inf, -1},
           {F::tanh, -0.0f, -0.0f},
           {F::tanh, tiny, tiny},
           {F::erf, inf, 1},
           {F::erf, -inf, -1},
           {F::erf, -0.0f, -0.0f},
           {F::geluErf, inf, inf},
           {F::geluErf, -inf, -0.0f},
           {F::geluErf, -0.0f, -0.0f},
           {F::geluErf, -20, -0.0f},
           {F::geluErf, largest, largest},
           {F::geluTanh, inf, inf},
           {F::geluTanh, -inf, -0.0f},
           {F::geluTanh, largest, largest},
           {F::silu, inf, inf},
           {F::silu, -inf, -0.0f},
           {F::silu, -largest, -0.0f},
           {F::softplus, inf, inf},
           {F::softplus, -inf, 0},
           {F::softplus, largest, largest},
           {F::mish, inf, inf},
           {F::mish, -inf, -0.0f},
           {F::elu, -inf, -0.7f, 0.7f},
           {F::elu, inf, inf, 0.7f},
           {F::elu, -0.0f, -0.0f, 0.7f},
           {F::celu, -inf, -2, 2},
           {F::celu, inf, inf, 2},
           {F::hardSigmoid, inf, 1, 0.2f, 0.5f},
           {F::hardSigmoid, -inf, 0, 0.2f, 0.5f},
           {F::hardSwish, inf, inf},
           {F::hardSwish, -inf, -0.0f},
           {F::hardSwish, 3, 3},
           {F::hardSwish, -3, -0.0f},
           {F::softsign, inf, 1},
           {F::softsign, -inf, -1},
           {F::softsign, largest, 1},
           {F::leakyRelu, -inf, -inf, 0.1f},
           {F::leakyRelu, -2, -0.2f, 0.1f},
           {F::relu, -inf, 0},
           {F::relu, -0.0f, -0.0f},
           {F::thresholdedRelu, 1, 0, 1},
           {F::thresholdedRelu, 1.5f, 1.5f, 1},
           {F::clip, inf, 6, 0, 6},
           {F::clip, -inf, 0, 0, 6},
           {F::clip, 3, 1, 2, 1},
           {F::sqrt, -0.0f, -0.0f},
           {F::sqrt, -1, NAN},
           {F::sqrt, inf, inf},
           {F::rsqrt, 0.0f, inf},
           {F::rsqrt, -0.0f, -inf},
           {F::rsqrt, inf, 0},
           {F::rsqrt, -1, NAN},
           {F::rsqrt, tiny, 0x1.6a09e6p74f},
           {F::reciprocal, -0.0f, -inf},
           {F::reciprocal, inf, 0},
           {F::reciprocal, tiny, inf},
           {F::sin, inf, NAN},
           {F::sin, -0.0f, -0.0f},
           {F::sin, tiny, tiny},
           {F::cos, -inf, NAN},
           {F::cos, 0, 1},
           {F::tan, inf, NAN},
           {F::tan, -0.0f, -0.0f},
           {F::asin, 1.00000012f, NAN},
           {F::asin, -0.0f, -0.0f},
           {F::asin, inf, NAN},
           {F::acos, 1, 0},
           {F::acos, -1.00000012f, NAN},
           {F::acos, -inf, NAN},
           {F::atan, inf, 1.57079637f},
           {F::atan, -inf, -1.57079637f},
           {F::atan, -0.0f, -0.0f},
           {F::sinh, inf, inf},
           {F::sinh, -inf, -inf},
           {F::sinh, 90, inf},
           {F::cosh, -inf, inf},
           {F::cosh, 0, 1},
           {F::asinh, inf, inf},
           {F::asinh, -inf, -inf},
           {F::asinh, -0.0f, -0.0f},
           {F::acosh, 1, 0},
           {F::acosh, inf, inf},
           {F::acosh, 0.99999994f, NAN},
           {F::acosh, -3, NAN},
           {F::acosh, -inf, NAN},
           {F::atanh, 1, inf},
           {F::atanh, -1, -inf},
           {F::atanh, 1.00000012f, NAN},
           {F::atanh, -inf, NAN},
           {F::atanh, -0.0f, -0.0f},
           {F::sign, -0.0f, -0.0f},
           {F::sign, -tiny, -1},
           {F::sign, inf, 1},
           {F::round, 2.5f, 2},
           {F::round, -0.5f, -0.0f},
           {F::floor, -0.0f, -0.0f},
           {F::floor, -tiny, -1},
           {F::ceil, -0.5f, -0.0f},
           {F::neg, 0.0f, -0.0f},
           {F::logicalNot, -0.0f, 1},
           {F::logicalNot, NAN, 0},
           {F::isNan, NAN, 1},
           {F::isNan, inf, 0},
           {F::isInf, -inf, 1},
           {F::isInf, NAN, 0},
       }) {
    const float scalar = evaluate(function, x, alpha, beta);
    EXPECT_EQ(bitsOfFloat(scalar), bitsOfFloat(expected))
        << nameOf(function) << ' ' << x << " gave " << scalar;
    onEveryTarget([&, f = function, x = x, a = alpha, b = beta] {
      float bulk;
      evaluate(f, std::span(&x, 1), std::span(&bulk, 1), a, b);
      EXPECT_EQ(bitsOfFloat(bulk), bitsOfFloat(scalar)) << nameOf(f) << ' ' << x;
    });
  }
}

TEST(Functions, IdentityKeepsEvenNan) {
  for (const uint32_t bits : {0x7f800001u, 0xffc12345u, 0x80000000u, 0x7f800000u}) {
    const float x = floatOfBits(bits);
    EXPECT_EQ(bitsOfFloat(evaluate(F::identity, x)), bits);
    onEveryTarget([&] {
      float out;
      evaluate(F::identity, std::span(&x, 1), std::span(&out, 1));
      EXPECT_EQ(bitsOfFloat(out), bits);
    });
  }
}

// Cosines of the floats closest to multiples of pi/2, at which an argument reduction that drops bits fails:
// around every power of two, the nearest float to a multiple is searched for.
TEST(Functions, AnglesCloseToMultiplesOfAQuarterTurn) {
  Random random(3);
  for (int exponent = 1; exponent < 128; ++exponent)
    for (int i = 0; i < 300; ++i) {
      const float start = std::ldexp(1 + static_cast<float>(random.bits()) * 0x1p-32f, exponent);
      const long double half = 1.57079632679489661923132169163975144L;
      const auto near = exponent < 50 ? static_cast<float>(std::rint(start / half) * half) : start;
      for (const F f : {F::sin, F::cos, F::tan})
        ASSERT_LE(errorInUlp(evaluate(f, near), oracle<long double>(f, near, 0, 0)), 0.500001L)
            << nameOf(f) << ' ' << std::hexfloat << near;
    }
  // The float closest to a multiple of pi/2: 16367173 * 2^72 is only 2^-29.2 of a radian away.
  const float closest = 0x1.f37a0ap95f;
  EXPECT_LE(errorInUlp(evaluate(F::cos, closest), oracle<long double>(F::cos, closest, 0, 0)), 0.500001L);
}

TEST(ExpDifference, IsOneRoundingOfTheDifference) {
  const auto x = floatsAtStride(65521);
  for (const float maximum : {0.0f, 88.0f, -3.25f, 0x1p-140f, 3e38f}) {
    std::vector<float> scalar, bulk(x.size());
    for (const float value : x) {
      scalar.push_back(expDifference(value, maximum));
      if (value <= maximum) {
        const auto exact = std::exp(static_cast<long double>(value) - static_cast<long double>(maximum));
        ASSERT_LE(errorInUlp(scalar.back(), exact), 0.500001L) << value << " - " << maximum;
      }
    }
    onEveryTarget([&] {
      expDifference(x, maximum, bulk);
      ASSERT_EQ(firstDifference(bulk, scalar), x.size());
    });
  }
  EXPECT_TRUE(std::isnan(expDifference(INFINITY, INFINITY)));
  EXPECT_TRUE(std::isnan(expDifference(1, NAN)));
  EXPECT_EQ(expDifference(-INFINITY, 3), 0);
}

} // namespace
} // namespace tilerig
