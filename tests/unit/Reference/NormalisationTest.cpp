// Tests of normalisations against their formulas in double.
#include "tests/unit/Reference/Elements.h"
#include "tests/unit/Reference/SingleOp.h"

#include "reference/Run/Floats.h"

namespace tilerig::reference {
namespace {

using Doubles = std::vector<double>;

Doubles doublesOf(const Tensor &tensor) {
  Doubles result;
  if (tensor.dtype() == DType::f64)
    result.assign(tensor.as<double>().begin(), tensor.as<double>().end());
  else
    result.assign(tensor.as<float>().begin(), tensor.as<float>().end());
  return result;
}

struct MeanAndVariance {
  double mean = 0, variance = 0;
  explicit MeanAndVariance(const Doubles &elements) {
    for (double x : elements)
      mean += x / static_cast<double>(elements.size());
    for (double x : elements)
      variance += (x - mean) * (x - mean) / static_cast<double>(elements.size());
  }
  double normalised(double x, double epsilon) const { return (x - mean) / std::sqrt(variance + epsilon); }
};

// Random positive numbers, used as variances.
Tensor positive(Draw &draw, const Shape &shape) {
  Tensor tensor = draw.normals<float>(shape);
  for (float &x : tensor.mutableAs<float>())
    x = std::abs(x) + 0.1f;
  return tensor;
}

template <class T>
void checkBatchNormalisation(unsigned seed) {
  Draw draw(seed);
  for (int round = 0; round < 20; ++round) {
    int64_t channels = draw.from(1, 5);
    Shape shape = joined({draw.from(1, 3), channels}, draw.list(static_cast<size_t>(draw.from(0, 2)), 1, 9));
    Tensor x = draw.normals<T>(shape);
    Tensor scale = draw.normals<float>({channels}), bias = draw.normals<float>({channels});
    Tensor mean = draw.normals<float>({channels}), variance = positive(draw, {channels});
    Doubles values = doublesOf(x), expected;
    int64_t plane = static_cast<int64_t>(values.size()) / shape[0] / channels;
    for (size_t i = 0; i < values.size(); ++i) {
      auto c = static_cast<size_t>(static_cast<int64_t>(i) / plane % channels);
      expected.push_back((values[i] - doublesOf(mean)[c]) / std::sqrt(doublesOf(variance)[c] + 0.01) *
                             doublesOf(scale)[c] +
                         doublesOf(bias)[c]);
    }
    SingleOp node{"BatchNormalization", {{"epsilon", 0.01f}}};
    node.threads = 1 + round % 3;
    auto result = node.run({x, scale, bias, mean, variance});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<T>((*result)[0], shape, expected);
  }
}

TEST(BatchNormalization, UsesTheStatisticsGiven) {
  checkBatchNormalisation<float>(1);
  checkBatchNormalisation<double>(2);
}

TEST(BatchNormalization, TrainingUsesAndReturnsThoseOfTheBatch) {
  Draw draw(3);
  Tensor x = draw.normals<float>({3, 2, 7}), one = Tensor::of<float>({2}, {1, 1}), zero(DType::f32, {2});
  Tensor mean = draw.normals<float>({2}), variance = positive(draw, {2});
  Doubles expected(42), newMean(2), newVariance(2);
  for (size_t c = 0; c < 2; ++c) {
    Doubles elements;
    for (size_t i = 0; i < 42; ++i)
      if (i / 7 % 2 == c)
        elements.push_back(doublesOf(x)[i]);
    MeanAndVariance batch(elements);
    for (size_t i = 0; i < 42; ++i)
      if (i / 7 % 2 == c)
        expected[i] = batch.normalised(doublesOf(x)[i], 1e-5);
    newMean[c] = doublesOf(mean)[c] * 0.75 + batch.mean * 0.25;
    newVariance[c] = doublesOf(variance)[c] * 0.75 + batch.variance * 0.25;
  }
  SingleOp node{"BatchNormalization", {{"training_mode", int64_t{1}}, {"momentum", 0.75f}}};
  node.outputs = 3;
  auto result = node.run({x, one, zero, mean, variance});
  ASSERT_TRUE(result) << result.error().message();
  expectClose<float>((*result)[0], {3, 2, 7}, expected);
  expectClose<float>((*result)[1], {2}, newMean);
  expectClose<float>((*result)[2], {2}, newVariance);
}

TEST(BatchNormalization, HalvesKeepTheirTypesApart) {
  Tensor x = narrowed(Tensor::of<float>({2, 1}, {1, 3}), DType::f16);
  Tensor one = Tensor::of<float>({1}, {1}), zero(DType::f32, {1});
  SingleOp node{"BatchNormalization", {{"training_mode", int64_t{1}}, {"momentum", 0.0f}, {"epsilon", 0.0f}}};
  node.outputs = 3;
  auto result = node.run({x, one, zero, zero, one});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], narrowed(Tensor::of<float>({2, 1}, {-1, 1}), DType::f16)));
  EXPECT_TRUE(identical((*result)[1], Tensor::of<float>({1}, {2})));
}

TEST(BatchNormalization, OnceHadStatisticsForEveryElement) {
  Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), three = Tensor::of<float>({2}, {3, 3});
  SingleOp node{"BatchNormalization", {{"spatial", int64_t{0}}, {"epsilon", 0.0f}}, 8};
  Tensor one = Tensor::of<float>({1, 2}, {1, 1});
  auto reshaped = [](const Tensor &t) { return *t.reshaped({1, 2}); };
  auto result =
      node.run({*x.reshaped({2, 1, 2}), one, reshaped(Tensor(DType::f32, {2})), reshaped(three), one});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], Tensor::of<float>({2, 1, 2}, {-2, -1, 0, 1})));
  EXPECT_FALSE(node.run({*x.reshaped({2, 1, 2}), three, three, three, three}));
}

TEST(BatchNormalization, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {2, 3, 4}), good(DType::f32, {3}), bad(DType::f32, {4});
  SingleOp node{"BatchNormalization"};
  EXPECT_TRUE(node.run({x, good, good, good, good}));
  EXPECT_FALSE(node.run({x, bad, good, good, good}));
  EXPECT_FALSE(node.run({x, good, good, good, bad}));
  EXPECT_FALSE(node.run({Tensor(DType::i32, {2, 3, 4}), good, good, good, good}));
  EXPECT_FALSE(node.run({x, Tensor(DType::i32, {3}), good, good, good}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {}), good, good, good, good}));
  node.outputs = 3;
  EXPECT_FALSE(node.run({x, good, good, good, good}));
}

// Every group is normalised; with one channel per group this equals instance normalisation.
TEST(GroupNormalization, NormalisesEveryGroup) {
  Draw draw(4);
  for (int round = 0; round < 20; ++round) {
    int64_t groups = draw.from(1, 3), members = draw.from(1, 3), channels = groups * members;
    Shape shape = {draw.from(1, 3), channels, draw.from(1, 5), draw.from(1, 6)};
    Tensor x = draw.normals<float>(shape);
    Tensor scale = draw.normals<float>({channels}), bias = draw.normals<float>({channels});
    int64_t plane = shape[2] * shape[3];
    Doubles values = doublesOf(x), expected;
    for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
      int64_t group = i / plane / members;
      auto first = values.begin() + group * members * plane;
      MeanAndVariance own(Doubles(first, first + members * plane));
      auto c = static_cast<size_t>(i / plane % channels);
      expected.push_back(own.normalised(values[static_cast<size_t>(i)], 0.1f) * doublesOf(scale)[c] +
                         doublesOf(bias)[c]);
    }
    SingleOp node{"GroupNormalization", {{"num_groups", groups}, {"epsilon", 0.1f}}};
    auto result = node.run({x, scale, bias});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<float>((*result)[0], shape, expected);
    if (members == 1) {
      node.op = "InstanceNormalization";
      auto same = node.run({x, scale, bias});
      ASSERT_TRUE(same);
      EXPECT_TRUE(identical((*same)[0], (*result)[0]));
    }
  }
}

TEST(GroupNormalization, OnceHadOneScaleForEachGroup) {
  Tensor x = Tensor::of<float>({1, 4, 1, 2}, {1, 1, 3, 3, 5, 5, 9, 9});
  SingleOp node{"GroupNormalization", {{"num_groups", int64_t{2}}, {"epsilon", 0.0f}}, 18};
  auto result = node.run({x, Tensor::of<float>({2}, {1, 10}), Tensor::of<float>({2}, {0, 100})});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], Tensor::of<float>({1, 4, 1, 2}, {-1, -1, 1, 1, 90, 90, 110, 110})));
}

TEST(GroupNormalization, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 4, 2}), four(DType::f32, {4}), two(DType::f32, {2});
  auto runs = [&](Attribute groups, const Tensor &scale) {
    return static_cast<bool>(
        SingleOp{"GroupNormalization", {{"num_groups", std::move(groups)}}}.run({x, scale, scale}));
  };
  EXPECT_TRUE(runs(int64_t{2}, four));
  EXPECT_FALSE(runs(int64_t{2}, two));
  EXPECT_FALSE(runs(int64_t{3}, four));
  EXPECT_FALSE(runs(int64_t{0}, four));
  EXPECT_FALSE(runs(2.0f, four));
  EXPECT_FALSE(SingleOp{"GroupNormalization"}.run({x, four, four}));
  EXPECT_FALSE((SingleOp{"GroupNormalization", {{"num_groups", int64_t{2}}, {"stash_type", int64_t{16}}}}.run(
      {x, four, four})));
  EXPECT_FALSE(SingleOp{"InstanceNormalization"}.run({x, two, two}));
  EXPECT_FALSE(SingleOp{"InstanceNormalization"}.run({Tensor(DType::f32, {1, 4}), four, four}));
}

template <class T>
void checkLayerNormalisation(unsigned seed) {
  Draw draw(seed);
  for (int round = 0; round < 30; ++round) {
    Shape shape = draw.list(static_cast<size_t>(draw.from(1, 4)), 1, 6);
    auto rank = static_cast<int64_t>(shape.size()), axis = draw.from(0, rank - 1);
    Shape layer(shape.begin() + axis, shape.end()), statistics = shape;
    std::fill(statistics.begin() + axis, statistics.end(), 1);
    Tensor x = draw.normals<T>(shape), scale = draw.normals<T>(layer), bias = draw.normals<T>(layer);
    size_t size = scale.elementCount();
    Doubles values = doublesOf(x), expected, means, inverses;
    for (size_t row = 0; row < values.size(); row += size) {
      auto first = values.begin() + static_cast<int64_t>(row);
      MeanAndVariance own(Doubles(first, first + static_cast<int64_t>(size)));
      means.push_back(own.mean);
      inverses.push_back(1 / std::sqrt(own.variance + static_cast<double>(0.1f)));
      for (size_t i = 0; i < size; ++i)
        expected.push_back(own.normalised(values[row + i], 0.1f) * doublesOf(scale)[i] + doublesOf(bias)[i]);
    }
    SingleOp node{"LayerNormalization", {{"axis", axis - (round % 2 ? rank : 0)}, {"epsilon", 0.1f}}};
    node.outputs = 3;
    auto result = node.run({x, scale, bias});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<T>((*result)[0], shape, expected);
    expectClose<float>((*result)[1], statistics, means);
    expectClose<float>((*result)[2], statistics, inverses);
  }
}

TEST(LayerNormalization, NormalisesTheLastAxes) {
  checkLayerNormalisation<float>(5);
  checkLayerNormalisation<double>(6);
}

TEST(LayerNormalization, ScaleMayBroadcastEitherWay) {
  Tensor x = Tensor::of<float>({2, 2}, {1, 3, 5, 9});
  SingleOp node{"LayerNormalization", {{"epsilon", 0.0f}}};
  auto byRow = node.run({x, Tensor::of<float>({2, 1}, {1, 10})});
  auto byOne = node.run({x, Tensor::scalar(10.0f), Tensor::of<float>({1, 2}, {0, 1})});
  ASSERT_TRUE(byRow && byOne);
  EXPECT_TRUE(identical((*byRow)[0], Tensor::of<float>({2, 2}, {-1, 1, -10, 10})));
  EXPECT_TRUE(identical((*byOne)[0], Tensor::of<float>({2, 2}, {-10, 11, -10, 11})));
}

TEST(LayerNormalization, HalvesHaveStatisticsInFloat) {
  Tensor x = narrowed(Tensor::of<float>({1, 2}, {1, 3}), DType::bf16);
  SingleOp node{"LayerNormalization", {{"epsilon", 0.0f}}};
  node.outputs = 2;
  auto result = node.run({x, narrowed(Tensor::of<float>({2}, {1, 1}), DType::bf16)});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], narrowed(Tensor::of<float>({1, 2}, {-1, 1}), DType::bf16)));
  EXPECT_TRUE(identical((*result)[1], Tensor::of<float>({1, 1}, {2})));
}

TEST(LayerNormalization, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {2, 3});
  SingleOp node{"LayerNormalization"};
  EXPECT_TRUE(node.run({x, Tensor(DType::f32, {3})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {2})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {5, 2, 3})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f64, {3})}));
  EXPECT_FALSE(node.run({Tensor(DType::i32, {2, 3}), Tensor(DType::i32, {3})}));
  node.attributes["axis"] = int64_t{2};
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {3})}));
  node.attributes = {{"stash_type", int64_t{10}}};
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {3})}));
}

TEST(LRN, DividesByThePowerOfTheNeighbours) {
  Draw draw(7);
  for (int round = 0; round < 30; ++round) {
    Shape shape = {draw.from(1, 2), draw.from(1, 8), draw.from(1, 3), draw.from(1, 200)};
    int64_t size = draw.from(1, 6), plane = shape[2] * shape[3];
    float beta = round % 2 ? 0.75f : 0.6f;
    Tensor x = draw.normals<float>(shape);
    Doubles values = doublesOf(x), expected;
    for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
      int64_t channel = i / plane % shape[1];
      double squares = 0;
      for (int64_t c = channel - (size - 1) / 2; c <= channel + size / 2; ++c)
        if (c >= 0 && c < shape[1])
          squares += std::pow(values[static_cast<size_t>(i + (c - channel) * plane)], 2);
      expected.push_back(values[static_cast<size_t>(i)] /
                         std::pow(2 + 0.5 / static_cast<double>(size) * squares, beta));
    }
    SingleOp node{"LRN", {{"size", size}, {"alpha", 0.5f}, {"beta", beta}, {"bias", 2.0f}}};
    node.threads = 2;
    auto result = node.run({x});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<float>((*result)[0], shape, expected);
  }
}

TEST(LRN, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 2, 2, 2});
  auto runs = [&](int64_t size, const Tensor &input) {
    return static_cast<bool>(SingleOp{"LRN", {{"size", size}}}.run({input}));
  };
  EXPECT_TRUE(runs(3, x));
  EXPECT_FALSE(runs(0, x));
  EXPECT_FALSE(runs(int64_t{1} << 62, x));
  EXPECT_FALSE(runs(3, Tensor(DType::f32, {2})));
  EXPECT_FALSE(runs(3, Tensor(DType::i32, {1, 2, 2, 2})));
  EXPECT_FALSE(SingleOp{"LRN"}.run({x}));
}

TEST(MeanVarianceNormalization, NormalisesTheAxesGiven) {
  Draw draw(8);
  Tensor x = draw.normals<float>({3, 4, 5, 2});
  for (const Ints &axes : {Ints{0, 2, 3}, Ints{1}, Ints{-1, 0}}) {
    Doubles values = doublesOf(x), expected;
    auto isReduced = [&](int64_t d) {
      return std::find(axes.begin(), axes.end(), d) != axes.end() ||
             std::find(axes.begin(), axes.end(), d - 4) != axes.end();
    };
    forEachIndex(x.shape(), [&](const Ints &index) {
      Doubles group;
      forEachIndex(x.shape(), [&](const Ints &other) {
        bool same = true;
        for (int64_t d = 0; d < 4; ++d)
          same = same && (isReduced(d) || index[static_cast<size_t>(d)] == other[static_cast<size_t>(d)]);
        if (same)
          group.push_back(values[static_cast<size_t>(offsetOf(x.shape(), other))]);
      });
      MeanAndVariance own(group);
      expected.push_back((values[static_cast<size_t>(offsetOf(x.shape(), index))] - own.mean) /
                         (std::sqrt(own.variance) + 1e-9));
    });
    auto result = SingleOp{"MeanVarianceNormalization", {{"axes", axes}}}.run({x});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<float>((*result)[0], x.shape(), expected);
  }
  EXPECT_FALSE(SingleOp{"MeanVarianceNormalization"}.run({Tensor(DType::f32, {2, 2})}));
}

TEST(LpNormalization, DividesByTheNorm) {
  Tensor x = Tensor::of<float>({2, 2}, {3, 0, -4, 0});
  auto run = [&](int64_t p, int64_t axis) {
    return SingleOp{"LpNormalization", {{"p", p}, {"axis", axis}}}.run({x});
  };
  auto one = run(1, 0), two = run(2, 0), rows = run(2, -1);
  ASSERT_TRUE(one && two && rows);
  EXPECT_TRUE(identical((*one)[0], Tensor::of<float>({2, 2}, {3.0f / 7, 0, -4.0f / 7, 0})));
  EXPECT_TRUE(identical((*two)[0], Tensor::of<float>({2, 2}, {0.6f, 0, -0.8f, 0})));
  EXPECT_TRUE(identical((*rows)[0], Tensor::of<float>({2, 2}, {1, 0, -1, 0})));
  EXPECT_FALSE(run(3, 0));
  EXPECT_FALSE(run(2, 2));
}

TEST(Normalisations, EmptyInputsWithLongAxesTakeNoTime) {
  constexpr int64_t huge = int64_t{1} << 38;
  Tensor one(DType::f32, {1}), x(DType::f32, {huge, 1, 0});
  EXPECT_TRUE(SingleOp{"BatchNormalization"}.run({x, one, one, one, one}));
  EXPECT_TRUE(SingleOp{"InstanceNormalization"}.run({x, one, one}));
  EXPECT_TRUE(SingleOp{"LayerNormalization"}.run({x, one}));
  EXPECT_TRUE((SingleOp{"LRN", {{"size", int64_t{3}}}}.run({x})));
  EXPECT_TRUE((SingleOp{"LpNormalization", {{"axis", int64_t{1}}}}.run({Tensor(DType::f32, {1, 0, huge})})));
  EXPECT_TRUE(
      (SingleOp{"MeanVarianceNormalization", {{"axes", Ints{1}}}}.run({Tensor(DType::f32, {1, 0, huge})})));
}

} // namespace
} // namespace tilerig::reference
