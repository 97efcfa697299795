// Tests of bounds for rounding errors: the results of a model in float differ from its results in double by
// no more than the bound for float.
#include "compiler/PassCheck/RoundingBound.h"
#include "isa/Base/Tensor/SeededTensor.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::compiler {
namespace {

using reference::NamedTensors;
using tilerig::test::OnnxModel;

struct Outcome {
  Tensor result;
  Magnitudes magnitudes;
};

Outcome run(const OnnxModel &model, const NamedTensors &inputs, reference::Precision precision) {
  const std::string bytes = model.bytes();
  auto loaded = reference::parseModel(std::as_bytes(std::span(bytes)), "model", "");
  if (!loaded)
    throw std::runtime_error(loaded.error().message());
  Outcome outcome;
  for (const auto &[id, tensor] : loaded->graph.initialisers)
    outcome.magnitudes[loaded->graph.values[static_cast<size_t>(id)].name] = Magnitude::of(tensor);
  for (const auto &[name, tensor] : inputs)
    outcome.magnitudes[name] = Magnitude::of(tensor);
  reference::RunOptions options;
  options.precision = precision;
  options.capture = [&](const std::string &name, const Tensor &tensor) {
    outcome.magnitudes[name] = Magnitude::of(tensor);
    return success();
  };
  reference::Threads threads(1);
  const auto interpreter = reference::Interpreter::create(*std::move(loaded), options, threads);
  if (!interpreter)
    throw std::runtime_error(interpreter.error().message());
  auto outputs = interpreter->run(inputs);
  if (!outputs)
    throw std::runtime_error(outputs.error().message());
  outcome.result = outputs->begin()->second;
  return outcome;
}

Tensor made(Shape shape, uint64_t seed, float offset = 0) {
  Tensor tensor(DType::f32, std::move(shape));
  uint64_t state = seed;
  for (float &element : tensor.mutableAs<float>()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    element = static_cast<float>(static_cast<double>(state >> 33) / 0x1p31 * 2 - 1) + offset;
  }
  return tensor;
}

// A test case: operators whose operands were computed in float, so that they have rounding errors already.
struct Case {
  std::string name;
  std::function<void(OnnxModel &)> add; // nodes that compute "y" from "a" [2, 8, 6, 6] and constants
};

void conv(OnnxModel &model, const std::string &from, const std::string &to) {
  model.initialiser(to + ".w", made({8, 8, 3, 3}, 3));
  tilerig::test::setInts(model.node("Conv", {from, to + ".w"}, {to}), "pads", {1, 1, 1, 1});
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char *function :
       {"Relu", "Sigmoid", "Tanh",     "Exp",  "Softplus", "HardSwish",  "Erf",
        "Abs",  "Neg",     "Elu",      "Selu", "Softmax",  "LogSoftmax", "Softsign",
        "Sin",  "Cos",     "Identity", "Sinh", "Cosh",     "Asinh",      "HardSigmoid"})
    list.push_back({function, [function](OnnxModel &model) { model.node(function, {"c"}, {"y"}); }});
  for (const char *operation : {"Add", "Sub", "Mul"})
    list.push_back({operation, [operation](OnnxModel &model) { model.node(operation, {"c", "a"}, {"y"}); }});
  list.push_back({"Div", [](OnnxModel &model) {
                    model.initialiser("k", Tensor::of<float>({}, {3}));
                    model.node("Exp", {"a"}, {"e"});
                    model.node("Add", {"e", "k"}, {"d"});
                    model.node("Div", {"c", "d"}, {"y"});
                  }});
  for (const auto &[name, exponent] : {std::pair{"PowOfHalf", 0.5f},
                                       {"PowOfMinusHalf", -0.5f},
                                       {"PowOfMinusTwo", -2.0f},
                                       {"PowOfTwo", 2.0f}})
    list.push_back({name, [exponent](OnnxModel &model) {
                      model.initialiser("k", Tensor::of<float>({}, {exponent}));
                      model.initialiser("h", Tensor::of<float>({}, {0.25f}));
                      model.node("Sigmoid", {"c"}, {"s"});
                      model.node("Mul", {"s", "h"}, {"e"});
                      model.node("Pow", {"e", "k"}, {"y"});
                    }});
  list.push_back({"Sum", [](OnnxModel &model) {
                    model.node("Neg", {"a"}, {"n"});
                    model.node("Sum", {"c", "a", "a", "n", "n"}, {"y"});
                  }});
  list.push_back({"ReduceLogSum", [](OnnxModel &model) {
                    model.node("Sigmoid", {"c"}, {"s"});
                    model.node("ReduceLogSum", {"s"}, {"y"});
                  }});
  list.push_back({"ReduceProd", [](OnnxModel &model) {
                    tilerig::test::setInts(model.node("ReduceProd", {"c"}, {"y"}), "axes", {3});
                  }});
  list.push_back({"LpPool", [](OnnxModel &model) {
                    tilerig::test::setInts(model.node("LpPool", {"c"}, {"y"}), "kernel_shape", {3, 3});
                  }});
  list.push_back({"Resize", [](OnnxModel &model) {
                    model.initialiser("k", Tensor::of<float>({4}, {1, 1, 1.5f, 2}));
                    tilerig::test::setText(model.node("Resize", {"c", "", "k"}, {"y"}), "mode", "cubic");
                  }});
  list.push_back(
      {"Einsum", [](OnnxModel &model) {
         tilerig::test::setText(model.node("Einsum", {"c", "a"}, {"y"}), "equation", "bchw,bchv->bcwv");
       }});
  list.push_back({"Gemm", [](OnnxModel &model) {
                    model.node("Flatten", {"c"}, {"f"});
                    model.initialiser("k", made({288, 4}, 5));
                    model.initialiser("b", made({4}, 8));
                    tilerig::test::setFloat(model.node("Gemm", {"f", "k", "b"}, {"y"}), "alpha", 0.3f);
                  }});
  for (const char *function : {"Sqrt", "Log", "Reciprocal"})
    list.push_back({function, [function](OnnxModel &model) {
                      model.node("Sigmoid", {"c"}, {"s"});
                      model.node("Exp", {"s"}, {"e"});
                      model.node(function, {"e"}, {"y"});
                    }});
  list.push_back({"Pow", [](OnnxModel &model) {
                    model.initialiser("k", Tensor::of<float>({}, {1.5f}));
                    model.node("Sigmoid", {"c"}, {"e"});
                    model.node("Pow", {"e", "k"}, {"y"});
                  }});
  list.push_back({"Conv", [](OnnxModel &model) { conv(model, "c", "y"); }});
  list.push_back({"MatMul", [](OnnxModel &model) { model.node("MatMul", {"c", "a"}, {"y"}); }});
  for (const char *pool : {"GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceSum", "ReduceL2",
                           "ReduceMax", "ReduceLogSumExp", "ReduceSumSquare"})
    list.push_back({pool, [pool](OnnxModel &model) { model.node(pool, {"c"}, {"y"}); }});
  list.push_back({"AveragePool", [](OnnxModel &model) {
                    tilerig::test::setInts(model.node("AveragePool", {"c"}, {"y"}), "kernel_shape", {3, 3});
                  }});
  list.push_back({"LayerNormalization", [](OnnxModel &model) {
                    model.initialiser("gain", made({6}, 5, 1));
                    model.node("LayerNormalization", {"c", "gain"}, {"y"});
                  }});
  list.push_back({"BatchNormalization", [](OnnxModel &model) {
                    for (const char *name : {"gain", "bias", "mean"})
                      model.initialiser(name, made({8}, 6));
                    model.initialiser("variance", made({8}, 7, 2));
                    model.node("BatchNormalization", {"c", "gain", "bias", "mean", "variance"}, {"y"});
                  }});
  list.push_back(
      {"LRN", [](OnnxModel &model) { tilerig::test::setInt(model.node("LRN", {"c"}, {"y"}), "size", 3); }});
  return list;
}

class Bounds : public testing::TestWithParam<Case> {};

TEST_P(Bounds, HoldTheErrorOfFloats) {
  OnnxModel model(17);
  model.input("a", DType::f32, {2, 8, 6, 6});
  conv(model, "a", "c");
  GetParam().add(model);
  model.output("y");
  const NamedTensors inputs = {{"a", made({2, 8, 6, 6}, 1)}};
  const Outcome floats = run(model, inputs, reference::Precision::fp32);
  OnnxModel wide(17);
  wide.proto() = model.proto();
  wide.proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(11);
  Tensor doubles(DType::f64, {2, 8, 6, 6});
  std::ranges::copy(inputs.at("a").as<float>(), doubles.mutableAs<double>().begin());
  const Outcome exact = run(wide, {{"a", doubles}}, reference::Precision::fp64);
  double error = 0;
  const auto actual = floats.result.as<float>();
  const auto expected = exact.result.as<double>();
  for (size_t i = 0; i < actual.size(); ++i)
    error = std::max(error, std::abs(static_cast<double>(actual[i]) - expected[i]));
  const double bound = boundErrors(nodesOf(model.proto().graph()), floats.magnitudes, {}).errors.at("y");
  EXPECT_LE(error, bound);
  EXPECT_TRUE(std::isfinite(bound));
  if (GetParam().name != "Identity" && GetParam().name != "Relu") {
    EXPECT_GT(bound, 0);
  }
  // Roundings of doubles are far smaller than those of floats, and so is the bound.
  const double boundOfDoubles =
      boundErrors(nodesOf(model.proto().graph()), exact.magnitudes, {}).errors.at("y");
  EXPECT_LT(boundOfDoubles, bound * 0x1p-20);
}

INSTANTIATE_TEST_SUITE_P(, Bounds, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

// Where nearly equal inputs can give very different results (by rounding or selection), the bound of the
// rounding error is large or infinite.
TEST(UnknownBounds, OfRoundedAndSelectedElements) {
  OnnxModel model(17);
  model.input("a", DType::f32, {2, 8, 6, 6});
  conv(model, "a", "c");
  model.node("Round", {"c"}, {"r"});
  model.node("ArgMax", {"c"}, {"i"});
  model.node("Shrink", {"c"}, {"s"});
  model.node("Round", {"a"}, {"exact"});
  model.output("r");
  const Outcome outcome = run(model, {{"a", made({2, 8, 6, 6}, 1)}}, reference::Precision::fp32);
  const BoundedErrors bounds = boundErrors(nodesOf(model.proto().graph()), outcome.magnitudes, {});
  EXPECT_GE(bounds.errors.at("r"), 1);
  EXPECT_LT(bounds.errors.at("r"), 1.1);
  EXPECT_TRUE(std::isinf(bounds.errors.at("i")));
  EXPECT_EQ(bounds.unknownAt.at("i"), "ArgMax");
  EXPECT_GE(bounds.errors.at("s"), 0.5); // an error may cross the threshold at which the function jumps
  EXPECT_EQ(bounds.errors.at("exact"), 0);
}

// A comparison is exact if no error can change the order of two finite elements.
TEST(UnknownBounds, OfComparisonsOfNearElements) {
  OnnxModel model(17);
  model.input("a", DType::f32, {2, 8, 6, 6});
  conv(model, "a", "c");
  model.initialiser("far", Tensor::of<float>({}, {1000}));
  model.initialiser("infinite", Tensor::of<float>({}, {-std::numeric_limits<float>::infinity()}));
  model.node("Greater", {"c", "far"}, {"apart"});
  model.node("Equal", {"c", "infinite"}, {"never"});
  model.node("Equal", {"c", "c"}, {"itself"});
  model.node("Less", {"c", "a"}, {"near"});
  model.output("near");
  const Outcome outcome = run(model, {{"a", made({2, 8, 6, 6}, 1)}}, reference::Precision::fp32);
  const BoundedErrors bounds = boundErrors(nodesOf(model.proto().graph()), outcome.magnitudes, {});
  EXPECT_EQ(bounds.errors.at("apart"), 0);
  EXPECT_EQ(bounds.errors.at("never"), 0);
  EXPECT_EQ(bounds.errors.at("itself"), 0);
  EXPECT_TRUE(std::isinf(bounds.errors.at("near")));
}

} // namespace
} // namespace tilerig::compiler
