#include "compiler/Planning/Quantisation/WeightParameters.h"

#include "tests/unit/Precision/Values.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tilerig::test {
using namespace compiler;
namespace {

QuantisedWeights quantised(const LayerWeights &layer) {
  auto result = quantiseWeights(layer);
  EXPECT_TRUE(result) << result.error().message();
  return result ? *std::move(result) : QuantisedWeights();
}

std::vector<int> integers(const Tensor &tensor) {
  const auto values = tensor.as<int8_t>();
  return {values.begin(), values.end()};
}

void expectRefused(const LayerWeights &layer, const char *message) {
  auto result = quantiseWeights(layer);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), message);
}

TEST(QuantiseWeights, EachChannelHasItsScale) {
  const QuantisedWeights result =
      quantised({"conv", Tensor::of<float>({2, 3}, {127, -64, 0.5f, 0, 1.5f, -254}), 0, {}, 1});
  EXPECT_EQ(result.scales, (std::vector<float>{1, 2}));
  EXPECT_EQ(integers(result.weights), (std::vector{127, -64, 0, 0, 1, -127}));
  EXPECT_EQ(result.weights.shape(), (Shape{2, 3}));
  EXPECT_TRUE(result.bias.empty());
  EXPECT_TRUE(result.widened.empty());
}

TEST(QuantiseWeights, ChannelsMayBeAnyDimension) {
  const Tensor weights = Tensor::of<float>({2, 2, 2}, {127, 1, 254, 2, 1, 127, 2, 254});
  EXPECT_EQ(quantised({"m", weights, 1, {}, 1}).scales, (std::vector<float>{1, 2}));
  EXPECT_EQ(integers(quantised({"m", weights, 1, {}, 1}).weights),
            (std::vector{127, 1, 127, 1, 1, 127, 1, 127}));
  EXPECT_EQ(quantised({"m", weights, 2, {}, 1}).scales, (std::vector<float>{2, 2}));
  EXPECT_EQ(quantised({"m", weights, {}, {}, 1}).scales, (std::vector<float>{2}));
}

TEST(QuantiseWeights, TiesGoToEven) {
  const Tensor weights = Tensor::of<float>({6}, {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f});
  EXPECT_EQ(integers(quantised({"w", weights, {}, {}, 1}).weights), (std::vector{127, 0, 2, 2, 0, -2}));
}

TEST(QuantiseWeights, KeepsEveryWeightWithinHalfAScale) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<float> values = randomValues(seed, 600);
    Tensor weights(DType::f32, {20, 30}), negated(DType::f32, {20, 30});
    std::ranges::copy(values, weights.mutableAs<float>().begin());
    std::ranges::transform(values, negated.mutableAs<float>().begin(), std::negate());
    const QuantisedWeights result = quantised({"w", weights, 0, {}, 1});
    const std::vector<int> q = integers(result.weights),
                           mirrored = integers(quantised({"w", negated, 0, {}, 1}).weights);
    for (size_t i = 0; i < values.size(); ++i) {
      const double scale = result.scales[i / 30];
      EXPECT_LE(std::fabs(q[i] * scale - values[i]), scale * (0.5 + 0x1p-14));
      EXPECT_LE(std::abs(q[i]), 127);
      EXPECT_EQ(mirrored[i], -q[i]);
    }
  }
}

TEST(QuantiseWeights, ChannelsOfZerosTakeTheLargestScale) {
  const Tensor bias = Tensor::of<float>({3}, {0, 3, 0});
  const QuantisedWeights result = quantised({"w", Tensor::of<float>({3, 1}, {127, 0, -254}), 0, bias, 0.5f});
  EXPECT_EQ(result.scales, (std::vector<float>{1, 2, 2}));
  EXPECT_EQ(integers(result.weights), (std::vector{127, 0, -127}));
  EXPECT_EQ(result.bias, (std::vector<int32_t>{0, 3, 0}));
  EXPECT_EQ(quantised({"w", Tensor::of<float>({2, 1}, {0, 0}), 0, {}, 1}).scales,
            (std::vector<float>{1.0f / 127, 1.0f / 127}));
}

TEST(QuantiseWeights, BiasIsOnTheScaleOfTheProducts) {
  const Tensor weights = Tensor::of<float>({2, 1}, {127, 254});
  const Tensor bias = Tensor::of<float>({2}, {10.25f, -10.5f});
  const QuantisedWeights result = quantised({"w", weights, 0, bias, 0.5f});
  // 20.5 and -10.5 are ties and go to the even integer
  EXPECT_EQ(result.bias, (std::vector<int32_t>{20, -10}));
  EXPECT_EQ(quantised({"w", weights, {}, bias, 0.5f}).bias, (std::vector<int32_t>{10, -10}));
}

// The bias is divided by the product of the scales of input and weights, rounded to float: 3 * fl(1 / 3)
// gives exactly 1.
TEST(QuantiseWeights, TheUnitOfTheBiasIsAFloat) {
  const float third = 1.0f / 3;
  ASSERT_GT(3.0 * third, 1.0);
  const Tensor weights = Tensor::of<float>({1, 1}, {381});
  const QuantisedWeights result = quantised({"w", weights, 0, Tensor::of<float>({1}, {0x1p29f}), third});
  EXPECT_EQ(result.scales[0], 3);
  EXPECT_EQ(result.bias[0], 1 << 29);
}

TEST(QuantiseWeights, ScalesWidenForABiasThatDoesNotFit) {
  const Tensor weights = Tensor::of<float>({3, 1}, {127, 1e-8f, 1e-8f});
  const Tensor bias = Tensor::of<float>({3}, {1, 0, -7});
  const QuantisedWeights result = quantised({"w", weights, 0, bias, 0.03f});
  ASSERT_EQ(result.widened.size(), 1u);
  EXPECT_EQ(result.widened[0].channel, 2u);
  EXPECT_EQ(result.widened[0].from, 1e-8f / 127);
  EXPECT_EQ(result.widened[0].to, result.scales[2]);
  EXPECT_EQ(result.scales[0], 1);
  EXPECT_EQ(result.scales[1], 1e-8f / 127);
  // The scale of the weights is widened as far as necessary for the bias to fit, and no further.
  EXPECT_LE(result.bias[2], -(1 << 30) + 256);
  EXPECT_GE(result.bias[2], -(1 << 30));
  EXPECT_NEAR(result.bias[2] * static_cast<double>(0.03f * result.scales[2]), -7, 1e-6);
  EXPECT_LE(std::abs(integers(result.weights)[2]), 127);
}

TEST(QuantiseWeights, ScalesWidenWhereTheirProductWouldVanish) {
  const Tensor weights = Tensor::of<float>({1, 1}, {1e-30f}), bias = Tensor::of<float>({1}, {0});
  const QuantisedWeights result = quantised({"w", weights, 0, bias, 1e-10f});
  ASSERT_EQ(result.widened.size(), 1u);
  EXPECT_GE(1e-10f * result.scales[0], std::numeric_limits<float>::min());
  EXPECT_EQ(result.bias[0], 0);
}

TEST(QuantiseWeights, OfEveryFloatType) {
  const Tensor halves = Tensor::of<Float16>({2}, {{0x57F0}, {0xD400}}); // the bits of 127 and -64 as fp16
  EXPECT_EQ(integers(quantised({"w", halves, {}, {}, 1}).weights), (std::vector{127, -64}));
  expectRefused({"w", Tensor::of<int8_t>({1}, {1}), {}, {}, 1},
                "w: weights: has element type int8; only floating-point tensors can be quantised");
}

TEST(QuantiseWeights, RefusesWhatNoScaleHolds) {
  const Tensor one = Tensor::of<float>({1, 1}, {1});
  expectRefused({"conv1", Tensor::of<float>({1, 2}, {1, INFINITY}), 0, {}, 1},
                "conv1: weights: element 1 is inf; 8-bit layers need finite weights and biases: give this "
                "layer a float precision");
  expectRefused({"conv1", one, 0, Tensor::of<float>({1}, {NAN}), 1},
                "conv1: bias: element 0 is nan; 8-bit layers need finite weights and biases: give this "
                "layer a float precision");
  expectRefused({"conv1", one, 0, Tensor::of<float>({2}, {1, 2}), 1},
                "conv1: the layer has 2 biases for 1 channels");
  expectRefused({"conv1", one, 0, Tensor::of<float>({1}, {3e38f}), std::numeric_limits<float>::min()},
                "conv1: no scale can represent a bias of magnitude 3e+38; give this layer a float precision");
  expectRefused({"conv1", Tensor(DType::f32, {0, 4}), 0, {}, 1}, "conv1: the weights have no elements");
}

} // namespace
} // namespace tilerig::test
