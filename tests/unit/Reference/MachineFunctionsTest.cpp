// Compares the reference's functions with those of isa/Numerics, bit by bit: two independent implementations
// of one specification. The suite runs once for each SIMD level of processors.
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Normalise.h"
#include "isa/Numerics/Reduce.h"
#include "isa/Numerics/Softmax.h"
#include "reference/Functions/Functions.h"
#include "tests/support/Random.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;

constexpr std::pair<Function, MathFunction> pairs[] = {
    {Function::relu, MathFunction::relu},
    {Function::leakyRelu, MathFunction::leakyRelu},
    {Function::thresholdedRelu, MathFunction::thresholdedRelu},
    {Function::clip, MathFunction::clip},
    {Function::sqrt, MathFunction::sqrt},
    {Function::reciprocal, MathFunction::reciprocal},
    {Function::abs, MathFunction::abs},
    {Function::neg, MathFunction::neg},
    {Function::floor, MathFunction::floor},
    {Function::ceil, MathFunction::ceil},
    {Function::round, MathFunction::round},
    {Function::sign, MathFunction::sign},
    {Function::exp, MathFunction::exp},
    {Function::log, MathFunction::log},
    {Function::sigmoid, MathFunction::sigmoid},
    {Function::tanh, MathFunction::tanh},
    {Function::sinh, MathFunction::sinh},
    {Function::cosh, MathFunction::cosh},
    {Function::softplus, MathFunction::softplus},
    {Function::softsign, MathFunction::softsign},
    {Function::silu, MathFunction::silu},
    {Function::mish, MathFunction::mish},
    {Function::hardSigmoid, MathFunction::hardSigmoid},
    {Function::hardSwish, MathFunction::hardSwish},
    {Function::elu, MathFunction::elu},
    {Function::selu, MathFunction::selu},
    {Function::celu, MathFunction::celu},
    {Function::geluErf, MathFunction::geluErf},
    {Function::geluTanh, MathFunction::geluTanh},
    {Function::erf, MathFunction::erf},
    {Function::sin, MathFunction::sin},
    {Function::cos, MathFunction::cos},
    {Function::tan, MathFunction::tan},
    {Function::asin, MathFunction::asin},
    {Function::acos, MathFunction::acos},
    {Function::atan, MathFunction::atan},
    {Function::asinh, MathFunction::asinh},
    {Function::acosh, MathFunction::acosh},
    {Function::atanh, MathFunction::atanh},
};
static_assert(std::size(pairs) == numFunctions);

// Floats of every exponent, special values, and many near 0 and 1, where formulas change.
std::vector<float> interestingFloats(uint64_t seed) {
  std::vector<float> all = {0.0f,
                            -0.0f,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            1.0f,
                            -1.0f,
                            0.5f,
                            -0.5f,
                            1e-45f,
                            -1e-45f,
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::lowest(),
                            std::numeric_limits<float>::min(),
                            20.0f,
                            88.7f,
                            88.8f,
                            -103.9f,
                            -104.0f};
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 65521)
    all.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  Random random(seed);
  for (int i = 0; i < 20'000; ++i)
    all.push_back(static_cast<float>(random.between(-(1 << 24), 1 << 24)) * 0x1p-21f);
  return all;
}

std::string show(float x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(x));
  return text;
}

class MachineFunction : public ::testing::TestWithParam<std::pair<Function, MathFunction>> {};

TEST_P(MachineFunction, HasTheBitsOfThePage) {
  auto [function, named] = GetParam();
  std::vector<float> x = interestingFloats(1), y(x.size());
  for (auto [alpha, beta] : {std::pair{0.01f, 6.0f}, {0.7f, 2.0f}, {1.0f, 1.0f / 3}}) {
    apply({function, alpha, beta}, x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = evaluate(named, x[i], alpha, beta);
      ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(expected))
          << nameOf(named) << " of " << show(x[i]) << " is " << show(y[i]) << " and should be "
          << show(expected);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Every, MachineFunction, ::testing::ValuesIn(pairs),
                         [](const auto &info) { return std::string(nameOf(info.param.second)); });

TEST(MachineFunction, WorksInPlaceAndOnAnyLength) {
  std::vector<float> x = interestingFloats(2);
  for (int64_t size = 0; size < 70; ++size) {
    std::vector<float> apart(static_cast<size_t>(size)), inPlace(x.begin(), x.begin() + size);
    apply({Function::tanh}, x.data(), apart.data(), size);
    apply({Function::tanh}, inPlace.data(), inPlace.data(), size);
    for (size_t i = 0; i < apart.size(); ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(apart[i]), std::bit_cast<uint32_t>(inPlace[i])) << size;
  }
}

TEST(MachinePower, HasTheBitsOfThePage) {
  Random random(3);
  std::vector<float> x, y;
  for (float base : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, INFINITY, -INFINITY, NAN, 1e-45f})
    for (float exponent :
         {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, 0.5f, -0.5f, INFINITY, -INFINITY, NAN, 1e10f})
      x.push_back(base), y.push_back(exponent);
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(random.next())));
    y.push_back(random.chance(50) ? static_cast<float>(random.between(-40, 40)) / 4
                                  : std::bit_cast<float>(static_cast<uint32_t>(random.next())));
  }
  std::vector<float> z(x.size());
  auto size = static_cast<int64_t>(x.size());
  auto expectPowers = [&](int64_t xStep, int64_t yStep) {
    raise(x.data(), xStep, y.data(), yStep, z.data(), size);
    for (size_t i = 0; i < z.size(); ++i) {
      float base = x[xStep ? i : 0], exponent = y[yStep ? i : 0];
      ASSERT_EQ(std::bit_cast<uint32_t>(z[i]), std::bit_cast<uint32_t>(power(base, exponent)))
          << show(base) << " ^ " << show(exponent) << " is " << show(z[i]);
    }
  };
  expectPowers(1, 1);
  y[0] = 0.75f;
  expectPowers(1, 0);
  x[0] = 3;
  expectPowers(0, 1);
}

// Random rows. Their number and their length are random, too, so that SIMD loops run with and without a
// remainder.
struct Rows {
  int64_t count, size;
  std::vector<float> elements;

  static Rows random(Random &random) {
    Rows rows{static_cast<int64_t>(random.ragged(30)), static_cast<int64_t>(random.ragged(300)), {}};
    double scale = std::ldexp(1.0, static_cast<int>(random.between(-3, 6)));
    for (int64_t i = 0; i < rows.count * rows.size; ++i)
      rows.elements.push_back(
          static_cast<float>(scale * static_cast<double>(random.between(-(1 << 20), 1 << 20)) * 0x1p-20));
    if (random.chance(20))
      rows.elements[random.below(rows.elements.size())] =
          random.pick({INFINITY, -INFINITY, NAN, -0.0f, 3e38f, -3e38f});
    return rows;
  }
  std::span<const float> row(int64_t index) const {
    return std::span(elements).subspan(static_cast<size_t>(index * size), static_cast<size_t>(size));
  }
};

// Expects equal bits; any NaN equals any NaN, because isa/Numerics/README.md does not define the NaN bits of
// sums and quotients.
void expectRow(std::span<const float> got, std::span<const float> expected, const char *label) {
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(expected[i]) ||
                (std::isnan(got[i]) && std::isnan(expected[i])))
        << label << ": element " << i << " is " << show(got[i]) << " and should be " << show(expected[i]);
}

TEST(MachineRows, SoftmaxLogSoftmaxAndLogSumExp) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    Rows rows = Rows::random(random), logs = rows;
    std::vector<float> sums(static_cast<size_t>(rows.count)), expected(static_cast<size_t>(rows.size));
    Rows original = rows;
    softmaxRows(rows.elements.data(), rows.count, rows.size);
    logSoftmaxRows(logs.elements.data(), rows.count, rows.size);
    logSumExpRows(original.elements.data(), rows.count, rows.size, sums.data());
    for (int64_t row = 0; row < rows.count; ++row) {
      softmax(original.row(row), expected);
      expectRow(rows.row(row), expected, "softmax");
      logSoftmax(original.row(row), expected);
      expectRow(logs.row(row), expected, "log-softmax");
      float sum = logSumExp(original.row(row));
      expectRow(std::span(&sums[static_cast<size_t>(row)], 1), std::span(&sum, 1), "log-sum-exp");
    }
  }
}

TEST(MachineRows, Sums) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    Rows rows = Rows::random(random);
    std::vector<float> sums(static_cast<size_t>(rows.count));
    sumRows(rows.elements.data(), rows.count, rows.size, sums.data());
    for (int64_t row = 0; row < rows.count; ++row) {
      float expected = sum(rows.row(row));
      expectRow(std::span(&sums[static_cast<size_t>(row)], 1), std::span(&expected, 1), "sum");
    }
  }
}

TEST(MachineRows, Normalisation) {
  Random random(6);
  for (int round = 0; round < 300; ++round) {
    Rows rows = Rows::random(random), factors = Rows::random(random);
    while (factors.size < 2 * rows.size)
      factors.elements.insert(factors.elements.end(), rows.elements.begin(), rows.elements.end()),
          factors.size = static_cast<int64_t>(factors.elements.size());
    bool centred = random.chance(70);
    int64_t gainStep = random.between(0, 2) - 1, shiftStep = random.between(0, 2) - 1; // -1: absent
    auto factor = [&](int64_t step, int64_t offset) {
      return RowNormalisation::Factor{step < 0 ? nullptr : factors.elements.data() + offset, 0,
                                      std::max<int64_t>(step, 0)};
    };
    auto span = [&](int64_t step, int64_t offset) {
      return std::span<const float>(factors.elements.data() + offset,
                                    static_cast<size_t>(step < 0    ? 0
                                                        : step == 0 ? 1
                                                                    : rows.size));
    };
    RowNormalisation how{rows.size, 1e-5f, centred, factor(gainStep, 0), factor(shiftStep, rows.size)};
    std::vector<float> y(rows.elements.size()), expected(static_cast<size_t>(rows.size));
    std::vector<float> means(static_cast<size_t>(rows.count)), inverses(means.size());
    normaliseRows(how, rows.elements.data(), y.data(), rows.count, means.data(), inverses.data());
    auto kind = centred ? Normalisation::meanAndVariance : Normalisation::rootMeanSquare;
    for (int64_t row = 0; row < rows.count; ++row) {
      normalise(rows.row(row), kind, 1e-5f, span(gainStep, 0), span(shiftStep, rows.size), expected);
      expectRow(std::span(y).subspan(static_cast<size_t>(row * rows.size), expected.size()), expected,
                "normalise");
      RowMoments moments = rowMoments(rows.row(row), kind, 1e-5f);
      expectRow(std::span(&means[static_cast<size_t>(row)], 1), std::span(&moments.mean, 1), "mean");
      expectRow(std::span(&inverses[static_cast<size_t>(row)], 1), std::span(&moments.inverse, 1), "inverse");
    }
  }
}

} // namespace
} // namespace tilerig::reference
