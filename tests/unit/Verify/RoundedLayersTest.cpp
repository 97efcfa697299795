// Tests of the comparison of layers in their chosen precision with the same layers in floats: errors that
// rounding may cause are accepted, and larger ones are reported for the layer that causes them.
#include "tests/support/OnnxModel.h"
#include "tests/unit/Verify/ChangedConstants.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/Rounding.h"

#include <cmath>

namespace tilerig::verify::test {
namespace {

// A fault that the compiler could make when it chooses precisions. Program and reference would contain the
// same fault, so comparing the two would not show it.
struct RoundingFault {
  const char *name, *precision;
  // The constant to change: the input with the number `input` of a convolution or matrix product, whose
  // operator is `op`.
  const char *op;
  int input;
  void (*change)(Tensor &constant);
};

const RoundingFault roundingFaults[] = {
    {"WeightsAStepOff", "int8", "QLinearConv", 3,
     [](Tensor &weights) {
       for (int8_t &x : weights.mutableAs<int8_t>())
         x = static_cast<int8_t>(x < 127 ? x + 1 : x);
     }},
    {"ScaleOfTheResult", "int8", "QLinearConv", 6, [](Tensor &scale) { scale.mutableAs<float>()[0] *= 2; }},
    {"ZeroPointOfTheInput", "int8", "QLinearConv", 2, [](Tensor &zero) { add<int8_t>(zero, 60); }},
    {"BiasDropped", "int8", "QLinearConv", 8,
     [](Tensor &bias) { std::ranges::fill(bias.mutableBytes(), std::byte{0}); }},
    {"WeightsOnePercentOff", "fp16", "Conv", 1,
     [](Tensor &weights) {
       for (Float16 &x : weights.mutableAs<Float16>())
         x.bits = static_cast<uint16_t>(x.bits + 8);
     }},
    {"BiasDroppedInFloats", "bf16", "Conv", 2,
     [](Tensor &bias) { std::ranges::fill(bias.mutableBytes(), std::byte{0}); }},
};

class RoundingFaults : public testing::TestWithParam<RoundingFault> {};

TEST_P(RoundingFaults, AreFoundInTheirLayerAlone) {
  const SourceModel source = sourceOf("squeezenet", zooNetwork("squeezenet", 48, true));
  const Check check = checkOf(source, GetParam().precision, 4);
  CompiledModel compiled = check.model();
  const std::string product =
      changeConstant(compiled.oracle, GetParam().op, GetParam().input, GetParam().change);
  const Expectation wrong =
      valueOf(valueOf(Oracle::load(source, compiled, testThreads())).expect(check.handedInputs()));
  std::vector<std::string> wrongLayers;
  for (const RoundedLayer &layer : valueOf(judgeRounded(compiled, "squeezenet", wrong, testThreads())))
    if (layer.status != TensorStatus::match) {
      wrongLayers.push_back(layer.name);
      EXPECT_GT(layer.error, layer.bound);
      EXPECT_NE(layer.reason.find("the layer's rounding points allow"), std::string::npos);
    }
  ASSERT_EQ(wrongLayers.size(), 1u) << product;
  // The wrong tensor must be the output of the product, or be computed from it by casts alone.
  std::string at = wrongLayers.front();
  while (at != product) {
    const auto &nodes = compiled.oracle.graph().node();
    const auto node =
        std::ranges::find_if(nodes, [&](const auto &candidate) { return candidate.output(0) == at; });
    ASSERT_NE(node, nodes.end());
    ASSERT_TRUE(node->op_type() != GetParam().op) << "another product's layer";
    at = node->input(0);
  }
}

INSTANTIATE_TEST_SUITE_P(Injected, RoundingFaults, testing::ValuesIn(roundingFaults),
                         [](const auto &info) { return info.param.name; });

// Expects no wrong layer in a model with one product.
void expectAllAllowed(const tilerig::test::OnnxModel &model, const std::string &precision) {
  const SourceModel source = SourceModel::of("product", model.bytes());
  const std::vector<RoundedLayer> layers = valueOf(checkOf(source, precision, 2).judgeRoundedLayers());
  EXPECT_FALSE(layers.empty());
  for (const RoundedLayer &layer : layers)
    EXPECT_EQ(layer.status, TensorStatus::match) << precision << ": " << layer.name << ": " << layer.reason;
}

// A product so small that half an ulp is below the smallest float is accepted.
TEST(RoundedLayers, ProductsEndAtTheLeastFloat) {
  tilerig::test::OnnxModel model(17);
  model.input("x", DType::f32, {4, 16});
  Tensor weights(DType::f32, {16, 8});
  for (size_t i = 0; i < weights.elementCount(); ++i)
    weights.mutableAs<float>()[i] = 0x1p-149f * static_cast<float>(i % 7 + 1);
  model.initialiser("w", weights);
  model.node("MatMul", {"x", "w"}, {"y"});
  model.output("y");
  expectAllAllowed(model, "fp32");
}

// Constants of products that do not count as weights: some are rounded like activations, others are added to
// the product.
TEST(RoundedLayers, ConstantsOfProductsThatAreNoWeights) {
  Tensor thirds(DType::f32, {16, 8});
  for (size_t i = 0; i < thirds.elementCount(); ++i)
    thirds.mutableAs<float>()[i] = static_cast<float>(i % 11) / 3 - 1;
  tilerig::test::OnnxModel model(17);
  model.input("x", DType::f32, {8, 4});
  model.input("z", DType::f32, {16, 4});
  model.initialiser("c", thirds);
  model.initialiser("w", thirds);
  model.node("MatMul", {"c", "x"}, {"y"});
  model.node("Transpose", {"z"}, {"t"});
  model.node("MatMul", {"t", "w"}, {"p"});
  model.node("Reshape", {"thirty", "shape"}, {"a"});
  Tensor thirty(DType::f32, {32});
  std::ranges::fill(thirty.mutableAs<float>(), 1.f / 3);
  model.initialiser("thirty", thirty);
  model.initialiser("shape", Tensor::of<int64_t>({2}, {4, 8}));
  model.node("Add", {"p", "a"}, {"q"});
  model.output("y");
  model.output("q");
  for (const char *precision : {"fp16", "bf16", "int8"})
    expectAllAllowed(model, precision);
}

// The permitted rounding error of a stored element, compared with values worked out by hand.
TEST(Rounding, HalfSteps) {
  const compiler::LayerElement half{"float16", {}, {}}, brain{"bfloat16", {}, {}}, single{"float", {}, {}},
      integers{"int8", {0.5}, {-3}}, channels{"int8", {1, 2, 4}, {0, 0, 0}, 1}, plain{"int64", {}, {}};
  EXPECT_EQ(HalfStep(half)(1), 0x1p-11 + 0x1p-25);
  EXPECT_EQ(HalfStep(brain)(-2), 0x1p-7 + 0x1p-134);
  EXPECT_EQ(HalfStep(single)(4), 0x1p-22 + 0x1p-150);
  EXPECT_EQ(HalfStep(integers)(100), 0.25);
  EXPECT_EQ(HalfStep(channels)(100, 2), 2);
  EXPECT_EQ(HalfStep(plain)(100), 0);
  EXPECT_EQ(integerRange(integers)->low, -62.5);
  EXPECT_EQ(integerRange(integers)->high, 65);
  EXPECT_EQ(integerRange({"uint8", {2}, {128}})->low, -256);
  EXPECT_EQ(integerRange({"int9", {1}, {0}})->high, 255);
  EXPECT_FALSE(integerRange(half));
  using Run = std::array<size_t, 3>; // begin, end, channel
  const auto runs = [](const compiler::LayerElement &element, const Shape &shape) {
    std::vector<Run> all;
    forEachChannel(element, shape, [&](size_t begin, size_t end, size_t channel) {
      all.push_back({begin, end, channel});
    });
    return all;
  };
  EXPECT_EQ(runs(channels, {2, 3, 5}),
            (std::vector<Run>{{0, 5, 0}, {5, 10, 1}, {10, 15, 2}, {15, 20, 0}, {20, 25, 1}, {25, 30, 2}}));
  EXPECT_EQ(runs(channels, {2, 3}),
            (std::vector<Run>{{0, 1, 0}, {1, 2, 1}, {2, 3, 2}, {3, 4, 0}, {4, 5, 1}, {5, 6, 2}}));
  EXPECT_EQ(runs(integers, {2, 3, 5}), (std::vector<Run>{{0, 30, 0}}));
  EXPECT_TRUE(runs(channels, {0, 3, 5}).empty());
}

TEST(Rounding, RealValuesOfStoredTensors) {
  const Tensor stored = Tensor::of<int8_t>({2, 2}, {1, 2, 3, -4});
  EXPECT_TRUE(
      identical(realsOf(stored, {"int8", {0.5}, {1}}), Tensor::of<double>({2, 2}, {0, 0.5, 1, -2.5})));
  EXPECT_TRUE(
      identical(realsOf(stored, {"int8", {1, 10}, {0, 0}, 1}), Tensor::of<double>({2, 2}, {1, 20, 3, -40})));
  EXPECT_TRUE(
      identical(realsOf(stored, {"int8", {1, 10}, {0, 0}, 0}), Tensor::of<double>({2, 2}, {1, 2, 30, -40})));
  EXPECT_TRUE(identical(realsOf(Tensor::of<Float16>({1}, {{0x3c01}}), {"float16", {}, {}}),
                        Tensor::of<double>({1}, {1 + 0x1p-10})));
}

TEST(Rounding, OrdersOfAxes) {
  const Tensor image = Tensor::of<float>({1, 2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor inModel = valueOf(inModelOrder(image, {2, 0, 1}));
  EXPECT_TRUE(identical(inModel, Tensor::of<float>({3, 1, 2}, {0, 3, 1, 4, 2, 5})));
  EXPECT_TRUE(identical(valueOf(inLayerOrder(inModel, {2, 0, 1})), image));
}

} // namespace
} // namespace tilerig::verify::test
