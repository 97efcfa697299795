// Tests of the calibration of network weights, and of folding normalisations into weights, against naive
// computations.
#include "models/Builder/Layers.h"
#include "models/Calibration/Calibrate.h"
#include "models/Calibration/Fold.h"
#include "models/Calibration/Statistics.h"
#include "models/Calibration/Weights.h"
#include "models/Weights/Fill.h"
#include "models/Weights/Pictures.h"
#include "tests/unit/Models/NetworkCheck.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

constexpr uint64_t seed = 5;

// A small network with two normalisations and a scaffold (a normalisation that is folded later), which the
// tests also compute naively.
Network smallNetwork(reference::Threads &threads) {
  GraphBuilder g("small", 17);
  Value x = g.input("image", DType::f32, {2, 3, 112, 112});
  x = relu(g, batchNorm(g, conv(g, x, "conv1", {6, {3, 4, 1}}), "bn1"), "relu1");
  x = relu(g, batchNorm(g, conv(g, x, "conv2", {8, {3, 2, 1}, 2}), "bn2"), "relu2");
  g.output(linear(g, flatten(g, globalAveragePool(g, x)), "fc", 5));
  Network network = std::move(g).finish();
  fillWeights(network, seed, threads);
  return network;
}

std::vector<double> doublesOf(const onnx::ModelProto &model, const std::string &name) {
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    if (tensor.name() == name) {
      std::vector<float> values(tensor.raw_data().size() / sizeof(float));
      std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
      return {values.begin(), values.end()};
    }
  ADD_FAILURE() << "no weight " << name;
  return {};
}

struct Image {
  int64_t channels, size;
  std::vector<double> pixels; // elements by batch, channel, row and column
  int64_t images() const { return static_cast<int64_t>(pixels.size()) / (channels * size * size); }
};

Image convolved(const Image &x, const std::vector<double> &weights, int64_t outputs, int64_t stride,
                int64_t groups) {
  int64_t size = (x.size - 1) / stride + 1, perGroup = x.channels / groups;
  Image y{outputs, size, {}};
  for (int64_t n = 0; n < x.images(); ++n)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t row = 0; row < size; ++row)
        for (int64_t column = 0; column < size; ++column) {
          double sum = 0;
          for (int64_t c = 0; c < perGroup; ++c)
            for (int64_t i = 0; i < 9; ++i) {
              int64_t r = row * stride + i / 3 - 1, q = column * stride + i % 3 - 1;
              int64_t from = n * x.channels + o / (outputs / groups) * perGroup + c;
              if (r >= 0 && r < x.size && q >= 0 && q < x.size)
                sum += weights[(o * perGroup + c) * 9 + i] * x.pixels[(from * x.size + r) * x.size + q];
            }
          y.pixels.push_back(sum);
        }
  return y;
}

struct Statistics {
  std::vector<double> means, variances;
};

// Mean and variance of each channel, computed as if the channel had 16 more positions with the mean and
// variance of the whole image. This moves them towards those of the whole image.
Statistics measured(const Image &x) {
  int64_t plane = x.size * x.size;
  auto channelOf = [&](size_t i) { return static_cast<int64_t>(i) / plane % x.channels; };
  double count = static_cast<double>(x.images() * plane), all = 0, square = 0;
  std::vector<double> sums(x.channels), squares(x.channels);
  for (size_t i = 0; i < x.pixels.size(); ++i) {
    sums[channelOf(i)] += x.pixels[i] / count;
    squares[channelOf(i)] += x.pixels[i] * x.pixels[i] / count;
    all += x.pixels[i] / static_cast<double>(x.pixels.size());
    square += x.pixels[i] * x.pixels[i] / static_cast<double>(x.pixels.size());
  }
  Statistics statistics;
  for (int64_t c = 0; c < x.channels; ++c) {
    double own = squares[c] - sums[c] * sums[c], whole = square - all * all;
    statistics.means.push_back((count * sums[c] + 16 * all) / (count + 16));
    statistics.variances.push_back((count * own + 16 * whole) / (count + 16));
  }
  return statistics;
}

void expectNear(const std::vector<double> &got, const std::vector<double> &wanted, double tolerance,
                const std::string &label) {
  ASSERT_EQ(got.size(), wanted.size()) << label;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], tolerance) << label << ", channel " << i;
}

// Normalisations get the mean and variance of their input. The expected values are computed in doubles; the
// library rounds each value by at most 2^-11, which changes the means by far less.
TEST(Calibration, NormalisationsGetMeanAndVarianceOfTheirInput) {
  reference::Threads threads(1);
  Network network = smallNetwork(threads);
  ASSERT_TRUE(calibrate(network, seed, threads));
  const onnx::ModelProto &model = network.model;
  // Sixteen pictures of half the usual size have as many pixels as four of the usual size.
  Tensor input = pictures(16, 112, seed);
  Image x{3, 112, {input.as<double>().begin(), input.as<double>().end()}};
  int64_t groups = 1, stride = 4;
  for (std::string index : {"1", "2"}) {
    auto weights = doublesOf(model, "conv" + index + ".weight");
    std::string bn = "bn" + index;
    auto scales = doublesOf(model, bn + ".weight"), shifts = doublesOf(model, bn + ".bias");
    x = convolved(x, weights, static_cast<int64_t>(scales.size()), stride, groups);
    Statistics wanted = measured(x);
    expectNear(doublesOf(model, bn + ".running_mean"), wanted.means, 1e-3, bn + " mean");
    expectNear(doublesOf(model, bn + ".running_var"), wanted.variances, 2e-3, bn + " variance");
    for (size_t i = 0; i < x.pixels.size(); ++i) {
      size_t c = i / static_cast<size_t>(x.size * x.size) % scales.size();
      double normalised = (x.pixels[i] - wanted.means[c]) / std::sqrt(wanted.variances[c] + 1e-5);
      x.pixels[i] = std::max(0.0, normalised * scales[c] + shifts[c]);
    }
    groups = 2, stride = 2;
  }
}

TEST(Calibration, StatisticsOfFewPositionsAreShrunk) {
  Tensor values(DType::f64, {2, 3});
  std::ranges::copy(std::array{1.0, 4.0, 10.0, 3.0, 4.0, 14.0}, values.mutableAs<double>().begin());
  reference::Threads threads(2);
  ChannelStatistics statistics = statisticsOf(values, threads);
  Image same{3, 1, {1, 4, 10, 3, 4, 14}};
  Statistics wanted = measured(same);
  expectNear({statistics.means.begin(), statistics.means.end()}, wanted.means, 1e-6, "mean");
  expectNear({statistics.variances.begin(), statistics.variances.end()}, wanted.variances, 1e-5, "variance");
  EXPECT_GT(statistics.variances[1], 1) << "a channel that never moves must not be blown up";
}

// Weights so large that sums may be inexact, and thus depend on their order, are refused.
TEST(Calibration, WeightsTooLargeForExactSumsAreRefused) {
  reference::Threads threads(1);
  Network network = smallNetwork(threads);
  for (float &weight : Weights(*network.model.mutable_graph()).floats("conv2.weight"))
    weight *= 4096;
  Status status = calibrate(network, seed, threads);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::internal);
  EXPECT_NE(status.error().message().find("too large for exact arithmetic"), std::string::npos);
}

TEST(Calibration, WeightsAreOnTheirGrid) {
  reference::Threads threads(1);
  Network network = smallNetwork(threads);
  for (const WeightRecipe &weight : network.weights)
    for (double value : doublesOf(network.model, weight.name))
      ASSERT_EQ(value / weightGrid, std::round(value / weightGrid)) << weight.name;
}

size_t countOps(const onnx::ModelProto &model, std::string_view op) {
  size_t count = 0;
  for (const onnx::NodeProto &node : model.graph().node())
    count += node.op_type() == op;
  return count;
}

// Folding normalisations into weights does not change what a network computes.
TEST(Folding, KeepsWhatANetworkComputes) {
  reference::Threads threads;
  reference::RunOptions inDoubles;
  inDoubles.precision = reference::Precision::fp64;
  for (const char *name : {"resnet18", "mobilenet_v2"}) {
    ZooOptions options{.variant = {.batch = 2, .imageSize = 64}};
    auto kept = makeNetwork(*findNetwork(name), options, threads);
    options.foldNorms = true;
    auto folded = makeNetwork(*findNetwork(name), options, threads);
    ASSERT_TRUE(kept && folded);
    EXPECT_GT(countOps(*kept, "BatchNormalization"), 10u);
    EXPECT_EQ(countOps(*folded, "BatchNormalization"), 0u);
    EXPECT_EQ(countOps(*folded, "Conv"), countOps(*kept, "Conv"));
    std::vector<Tensor> logits;
    for (const onnx::ModelProto *model : {&*kept, &*folded}) {
      auto interpreter = reference::Interpreter::create(*reloaded(*model), inDoubles, threads);
      ASSERT_TRUE(interpreter) << interpreter.error().message();
      auto outputs = interpreter->run(inputsOf(*model, 9));
      ASSERT_TRUE(outputs) << outputs.error().message();
      logits.push_back(outputs->begin()->second);
    }
    // The folded weights are rounded to float32 once more.
    for (size_t i = 0; i < logits[0].elementCount(); ++i)
      ASSERT_NEAR(logits[0].as<double>()[i], logits[1].as<double>()[i], 1e-4) << name;
  }
}

TEST(Folding, OfScaffoldsLeavesTheOthers) {
  reference::Threads threads(1);
  Network network = smallNetwork(threads);
  ASSERT_TRUE(calibrate(network, seed, threads));
  EXPECT_EQ(countOps(network.model, "BatchNormalization"), 3u);
  foldNorms(network, Folding::scaffolds);
  EXPECT_EQ(countOps(network.model, "BatchNormalization"), 2u);
  EXPECT_EQ(doublesOf(network.model, "fc.bias").size(), 5u);
  EXPECT_EQ(network.model.graph().node().rbegin()->output(0), network.model.graph().output(0).name());
}

} // namespace
} // namespace tilerig::models
