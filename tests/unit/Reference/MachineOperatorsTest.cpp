// Tests of operators in the machine's arithmetic: each computes the formula of isa/Numerics, along the axes
// that ONNX specifies.
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Normalise.h"
#include "isa/Numerics/Reduce.h"
#include "isa/Numerics/Resize.h"
#include "isa/Numerics/Softmax.h"
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;
using Ints = std::vector<int64_t>;

Tensor randomFloats(Random &random, Shape shape) {
  Tensor tensor(DType::f32, std::move(shape));
  for (float &x : tensor.mutableAs<float>())
    x = static_cast<float>(random.between(-(1 << 23), 1 << 23)) * 0x1p-21f;
  return tensor;
}

SingleOp machine(std::string op, std::map<std::string, Attribute, std::less<>> attributes = {}) {
  SingleOp node{std::move(op), std::move(attributes)};
  node.arithmetic = Arithmetic::machine;
  node.threads = 2;
  return node;
}

Tensor run(const SingleOp &node, std::vector<Tensor> inputs) {
  auto result = node.run(std::move(inputs));
  EXPECT_TRUE(result) << result.error().message();
  return result ? result->front() : Tensor();
}

void expectBits(const Tensor &got, std::span<const float> expected, const std::string &label) {
  auto elements = got.as<float>();
  ASSERT_EQ(elements.size(), expected.size()) << label;
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(elements[i]), std::bit_cast<uint32_t>(expected[i]))
        << label << ": element " << i << " is " << elements[i] << " and should be " << expected[i];
}

// The lines of a tensor along one axis. All axes before it are merged into one axis, and all axes after it
// into another.
struct Lines {
  int64_t outer, size, inner;
  template <class Each>
  std::vector<float> map(const Tensor &x, Each each) const {
    std::vector<float> result(x.elementCount()), line(static_cast<size_t>(size)), out(line.size());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t n = 0; n < inner; ++n) {
        auto at = [&](int64_t i) { return static_cast<size_t>((o * size + i) * inner + n); };
        for (int64_t i = 0; i < size; ++i)
          line[static_cast<size_t>(i)] = x.as<float>()[at(i)];
        each(std::span<const float>(line), std::span<float>(out));
        for (int64_t i = 0; i < size; ++i)
          result[at(i)] = out[static_cast<size_t>(i)];
      }
    return result;
  }
  // Computes one number from each line of a tensor along the axis.
  template <class Each>
  std::vector<float> fold(const Tensor &x, Each each) const {
    std::vector<float> result;
    map(x, [&](std::span<const float> line, std::span<float>) { result.push_back(each(line)); });
    return result;
  }
};

TEST(MachineOperators, SoftmaxAlongEveryAxis) {
  Random random(1);
  for (auto [axis, lines] :
       {std::pair{int64_t{0}, Lines{1, 6, 63}}, {1, Lines{6, 7, 9}}, {2, Lines{42, 9, 1}}}) {
    Tensor x = randomFloats(random, {6, 7, 9});
    auto soft = lines.map(x, [](auto line, auto out) { softmax(line, out); });
    auto logs = lines.map(x, [](auto line, auto out) { logSoftmax(line, out); });
    expectBits(run(machine("Softmax", {{"axis", axis}}), {x}), soft, "Softmax");
    expectBits(run(machine("LogSoftmax", {{"axis", axis}}), {x}), logs, "LogSoftmax");
  }
}

TEST(MachineOperators, ReductionsAlongEveryAxis) {
  Random random(2);
  for (auto [axis, lines] :
       {std::pair{int64_t{0}, Lines{1, 50, 63}}, {1, Lines{50, 7, 9}}, {2, Lines{350, 9, 1}}}) {
    Tensor x = randomFloats(random, {50, 7, 9}), axes = Tensor::of<int64_t>({1}, {axis});
    auto expect = [&](const char *op, auto formula) {
      expectBits(run(machine(op), {x, axes}), lines.fold(x, formula), op);
    };
    expect("ReduceSum", [](auto line) { return sum(line); });
    expect("ReduceMean", [](auto line) { return mean(line); });
    expect("ReduceProd", [](auto line) { return tilerig::product(line); });
    expect("ReduceMax", [](auto line) { return maximum(line); });
    expect("ReduceMin", [](auto line) { return minimum(line); });
    expect("ReduceL1", [](auto line) { return sumAbs(line); });
    expect("ReduceSumSquare", [](auto line) { return sumSquares(line); });
    expect("ReduceL2", [](auto line) { return std::sqrt(sumSquares(line)); });
    expect("ReduceLogSumExp", [](auto line) { return logSumExp(line); });
  }
}

// A reduction over several axes sums in row-major order, the innermost reduced axis fastest, even if other
// axes lie between.
TEST(MachineOperators, ReductionOverSeveralAxesIsRowMajor) {
  Random random(3);
  Tensor x = randomFloats(random, {5, 4, 6}), axes = Tensor::of<int64_t>({2}, {2, 0});
  std::vector<float> expected;
  for (int64_t kept = 0; kept < 4; ++kept) {
    std::vector<float> row;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 6; ++j)
        row.push_back(x.as<float>()[(i * 4 + kept) * 6 + j]);
    expected.push_back(sum(row));
  }
  expectBits(run(machine("ReduceSum"), {x, axes}), expected, "ReduceSum");
}

TEST(MachineOperators, ExtremesKnowZerosAndNan) {
  Tensor x = Tensor::of<float>({3, 3}, {-0.0f, 0.0f, -0.0f, 1, NAN, 2, 0.0f, -0.0f, -1});
  Tensor axes = Tensor::of<int64_t>({1}, {1});
  Tensor most = run(machine("ReduceMax"), {x, axes}), least = run(machine("ReduceMin"), {x, axes});
  EXPECT_FALSE(std::signbit(most.as<float>()[0]));
  EXPECT_TRUE(std::signbit(least.as<float>()[0]));
  EXPECT_TRUE(std::isnan(most.as<float>()[1]) && std::isnan(least.as<float>()[1]));
  EXPECT_FALSE(std::signbit(most.as<float>()[2]));
  Tensor where = run(machine("ArgMax", {{"axis", int64_t{1}}}), {x});
  EXPECT_EQ(where.as<int64_t>()[0], 0);
  EXPECT_EQ(where.as<int64_t>()[1], 1);
  Tensor zero = Tensor::of<float>({2}, {-0.0f, 0.0f}), other = Tensor::of<float>({2}, {0.0f, -0.0f});
  Tensor above = run(machine("Max"), {zero, other}), below = run(machine("Min"), {zero, other});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(std::signbit(above.as<float>()[i]));
    EXPECT_TRUE(std::signbit(below.as<float>()[i]));
  }
}

TEST(MachineOperators, SumOfNegativeZerosKeepsTheSign) {
  Tensor x = Tensor::of<float>({3}, {-0.0f, -0.0f, -0.0f});
  Tensor total = run(machine("ReduceSum"), {x});
  EXPECT_TRUE(std::signbit(total.as<float>()[0]));
}

TEST(MachineOperators, PowBroadcasts) {
  Random random(4);
  Tensor x = randomFloats(random, {5, 7}), y = Tensor::of<float>({5, 1}, {2, 0.5f, -1.5f, 3, 0});
  std::vector<float> expected;
  for (size_t i = 0; i < 35; ++i)
    expected.push_back(power(x.as<float>()[i], y.as<float>()[i / 7]));
  expectBits(run(machine("Pow"), {x, y}), expected, "Pow");
}

TEST(MachineOperators, LayerNormalisation) {
  Random random(5);
  Tensor x = randomFloats(random, {21, 5, 20}), gain = randomFloats(random, {5, 20}),
         shift = randomFloats(random, {5, 20});
  std::vector<float> both, alone, row(100);
  for (size_t i = 0; i < 21; ++i) {
    normalise(x.as<float>().subspan(i * 100, 100), Normalisation::meanAndVariance, 1e-3f, gain.as<float>(),
              shift.as<float>(), row);
    both.insert(both.end(), row.begin(), row.end());
    normalise(x.as<float>().subspan(i * 100, 100), Normalisation::meanAndVariance, 1e-3f, gain.as<float>(),
              {}, row);
    alone.insert(alone.end(), row.begin(), row.end());
  }
  SingleOp node = machine("LayerNormalization", {{"axis", int64_t{1}}, {"epsilon", 1e-3f}});
  expectBits(run(node, {x, gain, shift}), both, "LayerNormalization");
  expectBits(run(node, {x, gain}), alone, "LayerNormalization without bias");
}

// Tests group normalisation, and instance normalisation as groups of one channel.
TEST(MachineOperators, GroupAndInstanceNormalisation) {
  Random random(6);
  for (int64_t groups : {3, 6}) {
    Tensor x = randomFloats(random, {2, 6, 5, 3}), scale = randomFloats(random, {6}),
           bias = randomFloats(random, {6});
    auto size = static_cast<size_t>(90 / groups);
    std::vector<float> expected, row(size), gain, shift;
    for (size_t i = 0; i < 90; ++i)
      gain.push_back(scale.as<float>()[i / 15]), shift.push_back(bias.as<float>()[i / 15]);
    for (size_t i = 0; i < 180 / size; ++i) {
      size_t at = i * size % 90;
      normalise(x.as<float>().subspan(i * size, size), Normalisation::meanAndVariance, 1e-5f,
                std::span(gain).subspan(at, size), std::span(shift).subspan(at, size), row);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    expectBits(run(machine("GroupNormalization", {{"num_groups", groups}}), {x, scale, bias}), expected,
               "groups");
    if (groups == 6)
      expectBits(run(machine("InstanceNormalization"), {x, scale, bias}), expected, "instances");
  }
}

// Average pools sum in ascending order, by rows and then columns, starting with the first tap, and divide
// once.
TEST(MachineOperators, AveragePoolsAreAscendingSums) {
  Random random(7);
  Tensor x = randomFloats(random, {2, 3, 9, 8});
  std::vector<float> windows, whole;
  for (size_t plane = 0; plane < 6; ++plane) {
    auto image = x.as<float>().subspan(plane * 72, 72);
    whole.push_back(mean(image));
    for (int64_t oh = 0; oh < 5; ++oh)
      for (int64_t ow = 0; ow < 4; ++ow) {
        std::vector<float> taps;
        for (int64_t row = 2 * oh - 1; row < 2 * oh + 2; ++row)
          for (int64_t column = 2 * ow - 1; column < 2 * ow + 2; ++column)
            if (row >= 0 && row < 9 && column >= 0 && column < 8)
              taps.push_back(image[static_cast<size_t>(row * 8 + column)]);
        windows.push_back(mean(taps));
      }
  }
  SingleOp pool = machine(
      "AveragePool", {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
  Tensor pooled = run(pool, {x});
  ASSERT_EQ(pooled.shape(), (Shape{2, 3, 5, 4}));
  expectBits(pooled, windows, "AveragePool");
  expectBits(run(machine("GlobalAveragePool"), {x}), whole, "GlobalAveragePool");
}

// An axis to be resized, in the terms of isa/Numerics/README.md: output o is at input position (o * numerator
// + offset) / denominator.
struct PageAxis {
  int64_t in, out, numerator, offset, denominator;
};

// Resizes along one axis, with the positions and weights that isa/Numerics/README.md states; callers resize
// columns first, then rows.
std::vector<float> resizeLines(std::span<const float> x, int64_t lines, int64_t step, const PageAxis &axis,
                               const std::string &mode, float a) {
  std::vector<float> y(static_cast<size_t>(lines * axis.out));
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t o = 0; o < axis.out; ++o) {
      auto [index, f] = resizePosition(o, axis.numerator, axis.offset, axis.denominator);
      std::vector<float> weights{1}, taps;
      auto linear = linearWeights(f);
      auto cubic = cubicWeights(f, a);
      if (mode == "linear")
        weights.assign(linear.begin(), linear.end());
      if (mode == "cubic")
        weights.assign(cubic.begin(), cubic.end());
      int64_t first = index - (mode == "cubic" ? 1 : 0), outer = line / step, inner = line % step;
      for (size_t k = 0; k < weights.size(); ++k) {
        int64_t at = clampedIndex(first + static_cast<int64_t>(k), axis.in);
        taps.push_back(x[static_cast<size_t>((outer * axis.in + at) * step + inner)]);
      }
      y[static_cast<size_t>((outer * axis.out + o) * step + inner)] = combineTaps(weights, taps);
    }
  return y;
}

PageAxis pageAxis(const std::string &coordinates, int64_t in, int64_t out) {
  if (coordinates == "asymmetric")
    return {in, out, in, 0, out};
  if (coordinates == "align_corners")
    return out == 1 ? PageAxis{in, out, 0, 0, 1} : PageAxis{in, out, in - 1, 0, out - 1};
  return {in, out, 2 * in, in - out, 2 * out};
}

TEST(MachineOperators, ResizeIsThePages) {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    std::string mode = std::vector<std::string>{"nearest", "linear", "cubic"}[static_cast<size_t>(round % 3)];
    std::string coordinates = std::vector<std::string>{
        "half_pixel", "asymmetric", "align_corners"}[static_cast<size_t>(random.between(0, 2))];
    auto a = static_cast<float>(random.between(-100, 0)) / 100;
    int64_t planes = random.between(1, 3);
    PageAxis rows = pageAxis(coordinates, random.between(1, 30), random.between(1, 50));
    PageAxis columns = pageAxis(coordinates, random.between(1, 30), random.between(1, 50));
    Tensor x = randomFloats(random, {1, planes, rows.in, columns.in});
    Tensor sizes = Tensor::of<int64_t>({4}, {1, planes, rows.out, columns.out});
    SingleOp node = machine("Resize", {{"mode", mode},
                                       {"coordinate_transformation_mode", coordinates},
                                       {"nearest_mode", "floor"},
                                       {"cubic_coeff_a", a}});
    node.missing = {1, 2};
    auto expected = std::vector<float>(x.as<float>().begin(), x.as<float>().end());
    if (columns.in != columns.out)
      expected = resizeLines(expected, planes * rows.in, 1, columns, mode, a);
    if (rows.in != rows.out)
      expected = resizeLines(expected, planes * columns.out, columns.out, rows, mode, a);
    expectBits(run(node, {x, x, x, sizes}), expected, mode + " " + coordinates + " " + std::to_string(round));
  }
}

// A resize scale that is not a ratio of lengths is used as the exact fraction that the float represents. Ties
// are therefore decided exactly.
TEST(MachineOperators, ResizeByAFractionAndRounding) {
  Random random(22);
  for (int round = 0; round < 100; ++round) {
    int64_t in = random.between(2, 40), k = random.between(20, 120);
    auto out = in * k / 32;
    auto scale = static_cast<float>(k) / 32;
    Tensor x = randomFloats(random, {in});
    for (auto [name, adjust] : {std::pair("round_prefer_ceil", k),
                                {"round_prefer_floor", k - 1},
                                {"floor", int64_t{0}},
                                {"ceil", 2 * k - 1}}) {
      // The position (o + 1/2) * 32 / k - 1/2 of output o in the input, for the scale k / 32, as a fraction
      // with the denominator 2k. `adjust` is added to each position before it is rounded down, so that the
      // result is rounded as the nearest_mode requires.
      PageAxis axis{in, out, 64, 32 - k + adjust, 2 * k};
      SingleOp node = machine("Resize", {{"mode", "nearest"}, {"nearest_mode", std::string(name)}});
      node.missing = {1};
      expectBits(run(node, {x, x, Tensor::of<float>({1}, {scale})}),
                 resizeLines(x.as<float>(), 1, 1, axis, "nearest", 0), name + std::to_string(round));
    }
    SingleOp node = machine("Resize", {{"mode", "linear"}});
    node.missing = {1};
    expectBits(run(node, {x, x, Tensor::of<float>({1}, {scale})}),
               resizeLines(x.as<float>(), 1, 1, {in, out, 64, 32 - k, 2 * k}, "linear", 0),
               "linear " + std::to_string(round));
  }
}

// Local response normalisation uses the power function of isa/Numerics, and one rounded operation for each
// other step.
TEST(MachineOperators, LocalResponseNormalisation) {
  Random random(23);
  for (int64_t size : {1, 2, 5}) {
    int64_t channels = 7, plane = 300;
    float alpha = 0.3f, beta = size == 2 ? 0.6f : 0.75f, bias = 1.5f;
    Tensor x = randomFloats(random, {2, channels, plane});
    auto elements = x.as<float>();
    std::vector<float> expected;
    for (int64_t i = 0; i < 2 * channels * plane; ++i) {
      int64_t channel = i / plane % channels;
      float squares = 0;
      for (int64_t c = channel - (size - 1) / 2; c <= channel + size / 2; ++c)
        if (c >= 0 && c < channels) {
          float other = elements[static_cast<size_t>(i + (c - channel) * plane)];
          squares = std::fma(other, other, squares);
        }
      float scaled = alpha / static_cast<float>(size) * squares;
      expected.push_back(elements[static_cast<size_t>(i)] / power(bias + scaled, beta));
    }
    SingleOp node = machine("LRN", {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}});
    expectBits(run(node, {x}), expected, "size " + std::to_string(size));
  }
}

TEST(MachineOperators, FunctionsOfFloatsAreThePages) {
  Random random(8);
  Tensor x = randomFloats(random, {1000});
  auto expect = [&](const SingleOp &node, MathFunction function, float alpha = 0, float beta = 0) {
    std::vector<float> expected;
    for (float value : x.as<float>())
      expected.push_back(evaluate(function, value, alpha, beta));
    expectBits(run(node, {x}), expected, node.op);
  };
  expect(machine("Relu"), MathFunction::relu);
  expect(machine("LeakyRelu", {{"alpha", 0.2f}}), MathFunction::leakyRelu, 0.2f);
  expect(machine("ThresholdedRelu", {{"alpha", 0.3f}}), MathFunction::thresholdedRelu, 0.3f);
  expect(machine("Elu", {{"alpha", 0.7f}}), MathFunction::elu, 0.7f);
  expect(machine("Celu", {{"alpha", 0.7f}}), MathFunction::celu, 0.7f);
  expect(machine("Selu", {{"alpha", 1.5f}, {"gamma", 1.1f}}), MathFunction::selu, 1.5f, 1.1f);
  expect(machine("HardSigmoid", {{"alpha", 0.3f}, {"beta", 0.4f}}), MathFunction::hardSigmoid, 0.3f, 0.4f);
  expect(machine("Gelu", {{"approximate", std::string("none")}}), MathFunction::geluErf);
  expect(machine("Gelu", {{"approximate", std::string("tanh")}}), MathFunction::geluTanh);
  for (auto [op, function] : {std::pair{"Sigmoid", MathFunction::sigmoid},
                              {"Tanh", MathFunction::tanh},
                              {"Softplus", MathFunction::softplus},
                              {"Softsign", MathFunction::softsign},
                              {"HardSwish", MathFunction::hardSwish},
                              {"Mish", MathFunction::mish},
                              {"Exp", MathFunction::exp},
                              {"Erf", MathFunction::erf},
                              {"Sqrt", MathFunction::sqrt},
                              {"Reciprocal", MathFunction::reciprocal},
                              {"Log", MathFunction::log},
                              {"Abs", MathFunction::abs},
                              {"Neg", MathFunction::neg},
                              {"Floor", MathFunction::floor},
                              {"Ceil", MathFunction::ceil},
                              {"Round", MathFunction::round},
                              {"Sign", MathFunction::sign},
                              {"Sin", MathFunction::sin},
                              {"Cos", MathFunction::cos},
                              {"Tan", MathFunction::tan},
                              {"Asin", MathFunction::asin},
                              {"Acos", MathFunction::acos},
                              {"Atan", MathFunction::atan},
                              {"Sinh", MathFunction::sinh},
                              {"Cosh", MathFunction::cosh},
                              {"Asinh", MathFunction::asinh},
                              {"Acosh", MathFunction::acosh},
                              {"Atanh", MathFunction::atanh}})
    expect(machine(op), function);
  SingleOp swish = machine("Swish");
  swish.opset = 24;
  expect(swish, MathFunction::silu);
}

// For infinite inputs and NaN, functions give the machine's results also when they are computed in doubles:
// limits instead of infinity times 0, and NaN for NaN.
TEST(MachineFunctions, OfWhatIsNotFiniteAreTheSameInDoubles) {
  const std::pair<SingleOp, MathFunction> functions[] = {
      {{"Gelu", {{"approximate", std::string("none")}}}, MathFunction::geluErf},
      {{"Gelu", {{"approximate", std::string("tanh")}}}, MathFunction::geluTanh},
      {{"HardSwish"}, MathFunction::hardSwish},
      {{"Mish"}, MathFunction::mish},
      {{"Softsign"}, MathFunction::softsign},
      {{"Softplus"}, MathFunction::softplus},
      {{"Sigmoid"}, MathFunction::sigmoid},
      {{"Tanh"}, MathFunction::tanh}};
  for (const auto &[op, function] : functions)
    for (const float x : {INFINITY, -INFINITY, NAN}) {
      const auto result = op.run({Tensor::of<double>({1}, {static_cast<double>(x)})});
      ASSERT_TRUE(result) << result.error().message();
      const double got = (*result)[0].as<double>()[0], wanted = evaluate(function, x);
      EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << op.op << " of " << x;
    }
  for (const char *name :
       {"HardSigmoid", "Celu", "ThresholdedRelu", "Elu", "Selu", "Clip", "Relu", "LeakyRelu"}) {
    const auto result = SingleOp{name}.run({Tensor::of<double>({1}, {static_cast<double>(NAN)})});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(std::isnan((*result)[0].as<double>()[0])) << name;
  }
}

// Hardmax picks the first NaN as the maximum, like the machine's arg_max, to which the compiler maps it.
TEST(Hardmax, TakesTheFirstNan) {
  const auto result = SingleOp{"Hardmax"}.run({Tensor::of<float>({1, 4}, {1, NAN, INFINITY, NAN})});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], Tensor::of<float>({1, 4}, {0, 1, 0, 0})));
}

} // namespace
} // namespace tilerig::reference
