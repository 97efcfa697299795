// Tests of models that are already quantised or in 16-bit floats. The types and scales that the model states
// are no fault, and a fault is reported if the compiler deviates from them.
#include "models/Quantisation/Quantise.h"
#include "reference/Run/Floats.h"
#include "tests/unit/Verify/ChangedConstants.h"
#include "tests/unit/Verify/CheckedNetwork.h"

#include <cmath>

namespace tilerig::verify::test {
namespace {

onnx::ModelProto quantised(const onnx::ModelProto &model, models::QuantisedForm form, DType activations) {
  const models::Observations observations = valueOf(models::observe(model, 2, testThreads()));
  return valueOf(models::quantise(model, observations, {.form = form, .activations = activations}));
}

// The model with every float converted to 16 bits, as exporters convert whole networks.
onnx::ModelProto inHalves(onnx::ModelProto model, DType half) {
  onnx::GraphProto &graph = *model.mutable_graph();
  for (onnx::TensorProto &constant : *graph.mutable_initializer()) {
    if (constant.data_type() != onnx::TensorProto::FLOAT)
      continue;
    Tensor wide(DType::f32, Shape(constant.dims().begin(), constant.dims().end()));
    std::ranges::copy(std::as_bytes(std::span(constant.raw_data())), wide.mutableBytes().begin());
    constant.clear_dims();
    tilerig::test::describe(reference::narrowed(wide, half), constant);
  }
  const auto declare = [&](onnx::ValueInfoProto &value) {
    if (value.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT)
      value.mutable_type()->mutable_tensor_type()->set_elem_type(onnxNumber(half));
  };
  std::ranges::for_each(*graph.mutable_input(), declare);
  std::ranges::for_each(*graph.mutable_output(), declare);
  std::ranges::for_each(*graph.mutable_value_info(), declare);
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.name() == "to" && attribute.i() == onnx::TensorProto::FLOAT)
        attribute.set_i(onnxNumber(half));
  return model;
}

onnx::ModelProto squeezenet() { return zooNetwork("squeezenet", 48, true); }
onnx::ModelProto quantisedSqueezenet() {
  return quantised(squeezenet(), models::QuantisedForm::qlinear, DType::i8);
}
onnx::ModelProto halvedSqueezenet() { return inHalves(squeezenet(), DType::f16); }

onnx::ModelProto halvedResNet() { return inHalves(zooNetwork("resnet18", 32, false), DType::f16); }

struct StatedModel {
  const char *name;
  onnx::ModelProto (*make)();
};
const StatedModel statedModels[] = {
    {"QdqOfBytes", [] { return quantised(squeezenet(), models::QuantisedForm::qdq, DType::u8); }},
    {"QLinear", quantisedSqueezenet},
    {"QdqOfAttention",
     [] { return quantised(zooNetwork("bert_tiny", 0, true), models::QuantisedForm::qdq, DType::i8); }},
    {"Fp16", halvedSqueezenet},
    {"Bf16", [] { return inHalves(squeezenet(), DType::bf16); }},
    {"Fp16WithNorms", halvedResNet},
    {"Fp16OfAttention", [] { return inHalves(zooNetwork("bert_tiny", 0, true), DType::f16); }},
};

class StatedTypes : public testing::TestWithParam<StatedModel> {};

TEST_P(StatedTypes, AreRightInEveryPrecision) {
  const SourceModel source = sourceOf("stated", GetParam().make());
  for (const char *precision : {"fp32", "fp16", "int8"}) {
    const Check check = checkOf(source, precision, 4);
    const auto emitted = valueOf(check.judgeEmittedLayers());
    EXPECT_GT(emitted.size(), 10u);
    for (const EmittedLayer &layer : emitted)
      EXPECT_EQ(layer.comparison.status, TensorStatus::match)
          << precision << ": " << layer.name << ": " << layer.comparison.reason;
    const auto rounded = valueOf(check.judgeRoundedLayers());
    EXPECT_GT(rounded.size(), 10u);
    for (const RoundedLayer &layer : rounded)
      EXPECT_EQ(layer.status, TensorStatus::match) << precision << ": " << layer.name << ": " << layer.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StatedTypes, testing::ValuesIn(statedModels),
                         [](const auto &info) { return info.param.name; });

// A fault that the compiler could make when it reads the types and constants that the model states, or writes
// them into its own model.
struct StatedFault {
  const char *name;
  onnx::ModelProto (*make)();
  const char *op;
  int input;
  ChangeConstant change;
};

void zero(Tensor &tensor) { std::ranges::fill(tensor.mutableBytes(), std::byte{0}); }
void scaleBy(Tensor &tensor, float factor) {
  for (float &x : tensor.mutableAs<float>())
    x *= factor;
}
template <int steps>
void moveHalves(Tensor &tensor) {
  for (Float16 &x : tensor.mutableAs<Float16>())
    x.bits = static_cast<uint16_t>(x.bits + steps);
}

const StatedFault statedFaults[] = {
    {"ScaleOfTheResult", quantisedSqueezenet, "QLinearConv", 6,
     [](Tensor &tensor) { scaleBy(tensor, 1.1f); }},
    {"ScaleOfTheWeights", quantisedSqueezenet, "QLinearConv", 4,
     [](Tensor &tensor) { scaleBy(tensor, 1.1f); }},
    {"ZeroPointOfTheInput", quantisedSqueezenet, "QLinearConv", 2,
     [](Tensor &tensor) { add<int8_t>(tensor, 9); }},
    {"ZeroPointOfTheResult", quantisedSqueezenet, "QLinearConv", 7,
     [](Tensor &tensor) { add<int8_t>(tensor, -2); }},
    {"BiasOfIntegersDropped", quantisedSqueezenet, "QLinearConv", 8, zero},
    {"BiasOfHalvesDropped", halvedSqueezenet, "Conv", 2, zero},
    {"WeightsOnePercentOff", halvedSqueezenet, "Conv", 1, moveHalves<8>},
    {"FoldedBiasDropped", halvedResNet, "Conv", 2, zero},
};

class StatedFaults : public testing::TestWithParam<StatedFault> {
protected:
  void SetUp() override {
    source = sourceOf("stated", GetParam().make());
    check.emplace(checkOf(*source, "fp32", 4));
  }
  std::string inject(onnx::ModelProto &model) const {
    return changeConstant(model, GetParam().op, GetParam().input, GetParam().change);
  }
  // Whether the tensor is `product`, or is computed from it by operators that do not change the compared
  // values.
  static bool isMadeOf(const onnx::GraphProto &graph, std::string tensor, const std::string &product) {
    while (tensor != product) {
      const auto node = std::ranges::find_if(
          graph.node(), [&](const auto &candidate) { return candidate.output(0) == tensor; });
      if (node == graph.node().end() || node->op_type() == GetParam().op)
        return false;
      tensor = node->input(0);
    }
    return true;
  }

  std::optional<SourceModel> source;
  std::optional<Check> check;
};

TEST_P(StatedFaults, AreFoundAmongTheLayersAsEmitted) {
  CompiledModel compiled = check->model();
  const std::string product = inject(compiled.layers);
  std::vector<std::string> wrongLayers;
  for (const EmittedLayer &layer : valueOf(
           judgeEmitted(compiled, *source, check->inputs(), check->expectation().unrounded(), testThreads())))
    if (layer.comparison.status != TensorStatus::match)
      wrongLayers.push_back(layer.name);
  ASSERT_EQ(wrongLayers.size(), 1u) << product;
  EXPECT_TRUE(isMadeOf(compiled.layers.graph(), wrongLayers.front(), product)) << wrongLayers.front();
}

TEST_P(StatedFaults, AreFoundAmongTheLayersAsRounded) {
  for (const char *precision : {"fp32", "fp16"}) {
    const Check other = checkOf(*source, precision, 4);
    CompiledModel compiled = other.model();
    const std::string product = inject(compiled.oracle);
    const Expectation wrong =
        valueOf(valueOf(Oracle::load(*source, compiled, testThreads())).expect(other.handedInputs()));
    std::vector<std::string> wrongLayers;
    for (const RoundedLayer &layer : valueOf(judgeRounded(compiled, "stated", wrong, testThreads())))
      if (layer.status != TensorStatus::match)
        wrongLayers.push_back(layer.name);
    ASSERT_EQ(wrongLayers.size(), 1u) << product;
    EXPECT_TRUE(isMadeOf(compiled.oracle.graph(), wrongLayers.front(), product)) << wrongLayers.front();
  }
}

INSTANTIATE_TEST_SUITE_P(Injected, StatedFaults, testing::ValuesIn(statedFaults),
                         [](const auto &info) { return info.param.name; });

// A model with a pool between two quantisations whose scales the model states: the compiler pools integers
// there, the original model pools real numbers.
std::string pooledIntegers() {
  tilerig::test::OnnxModel model(21);
  model.input("x", DType::f32, {1, 3, 6, 5});
  model.initialiser("scale", Tensor::scalar(0.05f));
  model.initialiser("zero", Tensor::scalar<uint8_t>(121));
  model.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  model.node("DequantizeLinear", {"q", "scale", "zero"}, {"d"});
  tilerig::test::setInts(model.node("MaxPool", {"d"}, {"p"}), "kernel_shape", {2, 2});
  model.node("QuantizeLinear", {"p", "scale", "zero"}, {"r"});
  model.node("DequantizeLinear", {"r", "scale", "zero"}, {"y"});
  model.output("y");
  return model.bytes();
}

size_t wrongAmongEmitted(const Check &check, const CompiledModel &compiled) {
  size_t wrong = 0;
  for (const EmittedLayer &layer :
       valueOf(judgeEmitted(compiled, SourceModel::of("integers", pooledIntegers()), check.inputs(),
                            check.expectation().unrounded(), testThreads())))
    wrong += layer.comparison.status != TensorStatus::match;
  return wrong;
}

TEST(EmittedIntegers, AreComparedAsTheRealsThatTheyStandFor) {
  const Check check = checkOf(SourceModel::of("pool", pooledIntegers()), "fp32", 2);
  EXPECT_EQ(wrongAmongEmitted(check, check.model()), 0u);
  const auto altered = [&](auto change) {
    CompiledModel compiled = check.model();
    size_t numChanged = 0;
    for (compiler::DescribedLayer &layer : compiled.floatLayers)
      for (compiler::LayerTensor &output : layer.outputs)
        if (output.name == "d" && !output.element.scales.empty()) {
          change(output.element);
          ++numChanged;
        }
    EXPECT_EQ(numChanged, 1u);
    return wrongAmongEmitted(check, compiled);
  };
  EXPECT_EQ(altered([](compiler::LayerElement &element) { element.scales[0] *= 1.1; }), 1u);
  EXPECT_EQ(altered([](compiler::LayerElement &element) { element.zeroPoints[0] += 2; }), 1u);
}

// Tensors that are integers in the original model, too, are compared as integers and must be equal.
TEST(EmittedIntegers, AreComparedAsIntegersIfTheModelHasIntegers) {
  const Check check = checkOf(SourceModel::of("pool", pooledIntegers()), "fp32", 2);
  const auto tensors = judged(check, check.program());
  for (const char *name : {"q", "d", "r", "y"}) {
    ASSERT_TRUE(tensors.contains(name));
    ASSERT_TRUE(tensors.at(name).noise) << name;
    EXPECT_EQ(tensors.at(name).noise->maxAbs, 0) << name;
  }
}

std::vector<std::string> wrongAmongRounded(const CompiledModel &compiled, const Check &check,
                                           const SourceModel &source) {
  const Expectation due =
      valueOf(valueOf(Oracle::load(source, compiled, testThreads())).expect(check.handedInputs()));
  std::vector<std::string> wrong;
  for (const RoundedLayer &layer : valueOf(judgeRounded(compiled, "rounded", due, testThreads())))
    if (layer.status != TensorStatus::match)
      wrong.push_back(layer.name);
  return wrong;
}

// A layer whose input type the compiler chose, and whose result has a scale that the model states. Rounding
// may cause an error of half a quantisation step; a zero point that is wrong by one shifts the result by a
// whole step, which must be reported.
TEST(RoundedLayers, AStatedScaleBehindADecidedType) {
  const SourceModel source = SourceModel::of("pool", pooledIntegers());
  for (const char *precision : {"fp32", "fp16", "bf16", "int8"}) {
    const Check check = checkOf(source, precision, 2);
    EXPECT_EQ(wrongAmongRounded(check.model(), check, source), std::vector<std::string>{}) << precision;
    CompiledModel wrong = check.model();
    for (onnx::NodeProto &node : *wrong.oracle.mutable_graph()->mutable_node())
      if (node.output(0) == "q") {
        tilerig::test::OnnxGraph graph(*wrong.oracle.mutable_graph());
        graph.initialiser("wrong", Tensor::scalar<uint8_t>(122));
        node.set_input(2, "wrong");
      }
    EXPECT_EQ(wrongAmongRounded(wrong, check, source), std::vector<std::string>{"q"}) << precision;
  }
}

// One ulp in a 16-bit weight stated by the model is found: every bit counts.
TEST(RoundedLayers, StatedHalvesAreTheSameInEveryBit) {
  const SourceModel source = sourceOf("halves", halvedSqueezenet());
  const Check check = checkOf(source, "fp16", 4);
  CompiledModel wrong = check.model();
  changeConstant(wrong.oracle, "Conv", 1, moveHalves<1>);
  EXPECT_EQ(wrongAmongRounded(wrong, check, source).size(), 1u);
}

// Elements that overflow are not compared. A weight that is infinite in its type gives infinite sums of
// either sign, or NaN with an operand of 0. A sum whose terms overflow may have either sign, depending on the
// order of addition.
TEST(RoundedLayers, OverflowIsNotJudged) {
  tilerig::test::OnnxModel model(21);
  model.input("x", DType::f32, {2, 2});
  model.initialiser("w", Tensor::of<float>({2, 3}, {1e20f, 1, 3e38f, -1e6f, 1, -3e38f}));
  model.initialiser("ten", Tensor::scalar(10.0f));
  model.node("Abs", {"x"}, {"a"});
  model.node("Mul", {"a", "ten"}, {"b"});
  model.node("MatMul", {"b", "w"}, {"y"});
  model.output("y");
  for (const char *precision : {"fp32", "fp16", "bf16"}) {
    const Check check = checkOf(SourceModel::of("large", model.bytes()), precision, 2);
    for (const RoundedLayer &layer : valueOf(check.judgeRoundedLayers()))
      EXPECT_EQ(layer.status, TensorStatus::match) << precision << ": " << layer.reason;
    for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
      EXPECT_EQ(layer.comparison.status, TensorStatus::match) << precision << ": " << layer.comparison.reason;
  }
}

// Elements that overflow before a bounded function are not compared either: the function may give NaN
// although its values are bounded.
TEST(RoundedLayers, OverflowBeforeBoundedFunctionsIsNotJudged) {
  for (const char *function : {"HardSigmoid", "Sigmoid", "Tanh"}) {
    tilerig::test::OnnxModel model(21);
    model.input("x", DType::f32, {2, 2});
    model.initialiser("w", Tensor::of<float>({2, 3}, {1e20f, 1, 3e38f, -1e6f, 1, -3e38f}));
    model.node("Relu", {"x"}, {"positive"});
    model.node("MatMul", {"positive", "w"}, {"sum"});
    model.node(function, {"sum"}, {"y"});
    model.output("y");
    TensorMap inputs;
    ASSERT_TRUE(inputs.add("x", Tensor::of<float>({2, 2}, {-1, 0.5f, 0, 0})));
    CompileOptions options;
    options.precision = "fp16";
    options.machine = valueOf(loadMachine("tr64"));
    options.program.tiles = 2;
    const Check check =
        valueOf(Check::create(SourceModel::of("bounded", model.bytes()), inputs, options, testThreads()));
    for (const RoundedLayer &layer : valueOf(check.judgeRoundedLayers()))
      EXPECT_EQ(layer.status, TensorStatus::match) << function << ": " << layer.reason;
  }
}

} // namespace
} // namespace tilerig::verify::test
