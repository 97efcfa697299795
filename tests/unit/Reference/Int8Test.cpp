// Tests of the simulation of 8-bit quantisation in floats: which values are rounded, with which scales, and
// the results of a run.
#include "reference/Simulate/Int8.h"

#include "reference/Model/Load.h"
#include "reference/Simulate/StoredValues.h"
#include "tests/support/OnnxModel.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::OnnxModel;

Model loaded(const OnnxModel &model) {
  const std::string bytes = model.bytes();
  auto result = parseModel(std::as_bytes(std::span(bytes)), "m.onnx", "");
  EXPECT_TRUE(result) << result.error().message();
  return *std::move(result);
}

// Adds nodes that compute z = relu(x w + b) and flatten z.
void addDense(OnnxModel &model) {
  model.input("x", DType::f32, {1, 2});
  model.initialiser("w", Tensor::of<float>({2, 2}, {1.27f, 0, 0.634f, -63.5f}));
  model.initialiser("b", Tensor::of<float>({2}, {0.25f, 0.125f}));
  model.node("MatMul", {"x", "w"}, {"product"});
  model.node("Add", {"product", "b"}, {"sum"});
  model.node("Relu", {"sum"}, {"y"});
  model.node("Flatten", {"y"}, {"z"});
  model.output("z");
}

std::set<std::string> namesOf(const Graph &graph, const auto &ids) {
  std::set<std::string> names;
  for (const auto &id : ids)
    names.insert(graph.values[static_cast<size_t>(id)].name);
  return names;
}

TEST(ByteGrid, HasZeroAndBothEnds) {
  const ByteGrid grid = ByteGrid::over(-1, 254);
  EXPECT_EQ(grid.scale, 1);
  EXPECT_EQ(grid.zeroPoint, -127);
  EXPECT_EQ(grid.nearest(0), 0);
  EXPECT_EQ(grid.nearest(2.5f), 2); // quantisation rounds half to even, relative to the zero point
  EXPECT_EQ(grid.nearest(3.5f), 4);
  EXPECT_EQ(grid.nearest(-1.4f), -1);
  EXPECT_EQ(grid.nearest(-7), -1);
  EXPECT_EQ(grid.nearest(1000), 254);
  EXPECT_EQ(grid.nearest(NAN), 0);
  EXPECT_EQ(ByteGrid::over(3, 7).nearest(7), 7); // the range of a value is extended to contain zero
  EXPECT_EQ(ByteGrid::over(0, 0).nearest(0), 0);
}

TEST(ByteGrid, WeightsHaveAScaleForEachOutput) {
  const Tensor weights = Tensor::of<float>({2, 2}, {1.27f, 0.006f, 0, -635});
  EXPECT_TRUE(identical(roundedWeights(weights, 0), Tensor::of<float>({2, 2}, {1.27f, 0.01f, 0, -635})));
  EXPECT_TRUE(identical(roundedWeights(weights, 1), Tensor::of<float>({2, 2}, {1.27f, 0, 0, -635})));
  EXPECT_TRUE(identical(roundedWeights(weights, -1), roundedWeights(weights, 1)));
  EXPECT_TRUE(identical(roundedWeights(Tensor::of<float>({3}, {127, 2.5f, 3.5f}), -1),
                        Tensor::of<float>({3}, {127, 2, 4})));
}

// A value that is read by an activation function only is not rounded. Operators that only move elements add
// no rounding of their own.
TEST(StoredValues, AreInputsAndValuesReadByOtherLayers) {
  OnnxModel onnx;
  addDense(onnx);
  const Model model = loaded(onnx);
  const StoredValues stored = findStoredValues(model.graph);
  EXPECT_EQ(namesOf(model.graph, stored.rounded), (std::set<std::string>{"x", "y"}));
  ASSERT_EQ(stored.weights.size(), 1u);
  EXPECT_EQ(model.graph.values[static_cast<size_t>(stored.weights.begin()->first)].name, "w");
  EXPECT_EQ(stored.weights.begin()->second, -1);
}

TEST(StoredValues, IncludeValuesWithSeveralReaders) {
  OnnxModel model;
  addDense(model);
  model.node("Neg", {"sum"}, {"other"});
  model.output("other");
  const Model twice = loaded(model);
  EXPECT_EQ(namesOf(twice.graph, findStoredValues(twice.graph).rounded),
            (std::set<std::string>{"x", "sum", "y", "other"}));
}

class Simulated : public testing::Test {
protected:
  Result<NamedTensors> run(const OnnxModel &onnx, const std::vector<NamedTensors> &samples,
                           const NamedTensors &inputs, const std::string &method = "min-max") {
    Model model = loaded(onnx);
    RunOptions options;
    TILERIG_TRY(const Calibration calibration, parseCalibration(method));
    TILERIG_TRY(const Int8Simulation simulation,
                Int8Simulation::calibrate(model, samples, calibration, options, threads));
    simulation.applyTo(model, options);
    TILERIG_TRY(const Interpreter interpreter, Interpreter::create(std::move(model), options, threads));
    return interpreter.run(inputs);
  }
  static NamedTensors x(float first, float second) {
    return {{"x", Tensor::of<float>({1, 2}, {first, second})}};
  }

  Threads threads{1};
};

// Quantisation steps: 2/255 for x; 0.01 and 0.5 for the weights w of the two outputs; the largest value over
// 255 for the result.
TEST_F(Simulated, RoundsInputsWeightsAndResults) {
  OnnxModel model;
  addDense(model);
  auto outputs = run(model, {x(-1, 1), x(1, 0)}, x(0.3f, -0.7f));
  ASSERT_TRUE(outputs) << outputs.error().message();
  // Ranges: x from -1 to 1; y from 0 to the largest value of the samples, 1.27 + 0.25 = 1.52.
  const ByteGrid grid = ByteGrid::over(-1, 1), result = ByteGrid::over(0, double{1.27f + 0.25f});
  const double a = double{grid.nearest(0.3f)}, b = double{grid.nearest(-0.7f)};
  const float first = static_cast<float>(a * 1.27 + b * 0.63 + 0.25);
  EXPECT_FLOAT_EQ(outputs->at("z").as<float>()[0], result.nearest(first));
  EXPECT_FLOAT_EQ(outputs->at("z").as<float>()[1], result.nearest(1000)); // 44.57 saturates
}

TEST_F(Simulated, AveragesMinimaAndMaximaWithARamp) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 2});
  model.node("Add", {"x", "x"}, {"a"});
  model.node("Add", {"a", "x"}, {"y"});
  model.output("y");
  const std::vector<NamedTensors> samples = {x(0, 1), x(0, 3)};
  // Calibration takes the means of the samples' minima and maxima, which gives the ranges 0 ... 2 for x,
  // 0 ... 4 for a and 0 ... 6 for y. The method average:2 multiplies them by a factor that rises from 1 at
  // the first operator, which gives a, to 2 at the last, which gives y.
  auto outputs = run(model, samples, x(50, 0.5f), "average:2");
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_FLOAT_EQ(outputs->at("y").as<float>()[0], ByteGrid::over(0, 12).nearest(4 + 2));
  outputs = run(model, samples, x(50, 0.5f), "min-max");
  ASSERT_TRUE(outputs);
  EXPECT_FLOAT_EQ(outputs->at("y").as<float>()[0], 9); // the largest value of y in the samples is 6 + 3
}

TEST_F(Simulated, RefusesWhatHasNoRange) {
  OnnxModel model;
  addDense(model);
  auto refused = run(model, {x(INFINITY, 0)}, x(0, 0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "tensor 'x': some elements are NaN or infinite, so the tensor has no range; calibrate "
            "with inputs that are typical of this network");
  for (const char *method : {"mean", "average:", "average:0.5", "average:17", "average:2x", ""})
    EXPECT_FALSE(parseCalibration(method)) << method;
}

} // namespace
} // namespace tilerig::reference
