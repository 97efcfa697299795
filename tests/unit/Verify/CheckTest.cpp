// End-to-end tests of `tilerig check` in one process. Correct programs match in every precision. A model that
// the compiler folded wrongly differs from the original, although program and reference follow the same wrong
// model and agree.
#include "tests/unit/Verify/ChangedConstants.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/CheckRecords.h"
#include "verify/Check/StoredTensors.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::verify::test {
namespace {

struct CleanCase {
  const char *network;
  int64_t imageSize;
  const char *precision;
  unsigned tiles;
};

class CleanNetworks : public testing::TestWithParam<CleanCase> {};

TEST_P(CleanNetworks, MatchInEveryTensor) {
  const auto &[network, imageSize, precision, tiles] = GetParam();
  const SourceModel source = sourceOf(network, zooNetwork(network, imageSize, true));
  const Check check = checkOf(source, precision, tiles);
  const auto tensors = judged(check, check.program());
  EXPECT_GT(tensors.size(), 10u);
  size_t withTruth = 0;
  for (const auto &[name, tensor] : tensors) {
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
    EXPECT_EQ(tensor.comparison.different, 0u);
    EXPECT_FALSE(tensor.isolated);
    withTruth += tensor.truth.has_value();
    if (tensor.truth) {
      EXPECT_NE(tensor.truth->status, TensorStatus::shapeMismatch) << name;
      EXPECT_EQ(tensor.truth->maxAbs, tensor.noise->maxAbs) << name;
    }
  }
  EXPECT_GT(withTruth, tensors.size() / 2);
  const auto emitted = valueOf(check.judgeEmittedLayers());
  EXPECT_GT(emitted.size(), 10u);
  for (const EmittedLayer &layer : emitted)
    EXPECT_EQ(layer.comparison.status, TensorStatus::match) << layer.name << ": " << layer.comparison.reason;
  const auto rounded = valueOf(check.judgeRoundedLayers());
  EXPECT_GT(rounded.size(), 10u);
  for (const RoundedLayer &layer : rounded)
    EXPECT_EQ(layer.status, TensorStatus::match) << layer.name << ": " << layer.reason;
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, CleanNetworks,
    testing::Values(CleanCase{"squeezenet", 48, "fp32", 26}, CleanCase{"squeezenet", 48, "int8", 26},
                    CleanCase{"squeezenet", 48, "bf16", 4}, CleanCase{"resnet18", 32, "fp16", 16},
                    CleanCase{"resnet18", 32, "int8", 64}, CleanCase{"bert_tiny", 0, "fp16", 8},
                    CleanCase{"bert_tiny", 0, "int8", 8}),
    [](const auto &info) { return fmt::format("{}_{}", info.param.network, info.param.precision); });

// The weights of an LSTM that is not unrolled are constants read by the host: tensors of the program that no
// node of the model computes.
TEST(HostLayers, MatchWithTheirConstants) {
  const Check check =
      checkOf(sourceOf("lstm", zooNetwork("lstm_tagger", 0, true)), "fp16", 8, {"unroll-recurrences"});
  size_t onHost = 0;
  for (const auto &[name, tensor] : judged(check, check.program())) {
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
    onHost += tensor.match.where == "host";
  }
  EXPECT_GT(onHost, 3u);
}

TEST(StoredTensors, MissingRowsHoldMinusOne) {
  const Tensor rows = Tensor::of<int64_t>({1, 3}, {0, 1, 2});
  EXPECT_TRUE(identical(paddedTo(rows, {2, 3}), Tensor::of<int64_t>({2, 3}, {0, 1, 2, -1, -1, -1})));
  // Only missing rows of integer tensors are filled with -1, up to the shape that the program reserves.
  // Tensors with other axes, of other types or with too many rows stay as they are, so that they count as
  // mismatches.
  EXPECT_EQ(paddedTo(rows, {2, 4}).shape(), (Shape{1, 3}));
  EXPECT_EQ(paddedTo(rows, {0, 3}).shape(), (Shape{1, 3}));
  EXPECT_EQ(paddedTo(Tensor::of<float>({1, 3}, {0, 1, 2}), {2, 3}).shape(), (Shape{1, 3}));
}

// The model with another epsilon in its normalisations, such as exporters of Keras write. A compiler that
// ignored the epsilon would give the same program for this model as for a model with epsilon 0.
onnx::ModelProto withEpsilon(onnx::ModelProto model, float epsilon) {
  size_t changed = 0;
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (node.op_type() == "BatchNormalization" && attribute.name() == "epsilon") {
        attribute.set_f(epsilon);
        ++changed;
      }
  EXPECT_GT(changed, 5u);
  return model;
}

TEST(EmittedLayers, AFoldThatDropsTheEpsilonIsFound) {
  const onnx::ModelProto network = zooNetwork("resnet18", 32, false);
  const SourceModel written = sourceOf("written", withEpsilon(network, 1e-3f));
  const SourceModel folded = sourceOf("folded", withEpsilon(network, 0));
  const Check right = checkOf(written, "fp32", 4), wrong = checkOf(folded, "fp32", 4);
  for (const auto &[name, tensor] : judged(wrong, wrong.program()))
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << "device and oracle agree on what is wrong";
  const auto count = [&](const Check &compiled) {
    size_t mismatches = 0;
    for (const EmittedLayer &layer : valueOf(judgeEmitted(compiled.model(), written, right.inputs(),
                                                          right.expectation().truth, testThreads())))
      mismatches += layer.comparison.status == TensorStatus::mismatch;
    return mismatches;
  };
  EXPECT_EQ(count(right), 0u);
  // An ignored epsilon shows in most of the twenty layers with a folded normalisation.
  EXPECT_GT(count(wrong), 15u);
}

// A wrong weight in one layer is reported for that layer alone, not for the later layers that get its wrong
// results.
TEST(EmittedLayers, AWrongWeightIsFoundInItsLayerAlone) {
  onnx::ModelProto network = zooNetwork("squeezenet", 48, true);
  const SourceModel written = sourceOf("written", network);
  std::string weight, output;
  for (const onnx::NodeProto &node : network.graph().node())
    if (node.op_type() == "Conv" && output.empty() && node.input(0) != network.graph().input(0).name()) {
      weight = node.input(1);
      output = node.output(0);
    }
  for (const onnx::NodeProto &node : network.graph().node())
    if (node.op_type() == "Relu" && node.input(0) == output)
      output = node.output(0); // the Relu is fused into the layer, so the layer has the Relu's output
  for (onnx::TensorProto &tensor : *network.mutable_graph()->mutable_initializer())
    if (tensor.name() == weight) {
      std::string &bytes = *tensor.mutable_raw_data();
      for (size_t i = 3; i < bytes.size(); i += 4)
        bytes[i] = static_cast<char>(bytes[i] ^ 0x80); // flips every sign
    }
  const Check right = checkOf(written, "fp32", 4), wrong = checkOf(sourceOf("broken", network), "fp32", 4);
  std::vector<std::string> wrongLayers;
  for (const EmittedLayer &layer : valueOf(
           judgeEmitted(wrong.model(), written, right.inputs(), right.expectation().truth, testThreads())))
    if (layer.comparison.status != TensorStatus::match)
      wrongLayers.push_back(layer.name);
  EXPECT_EQ(wrongLayers, std::vector{output});
}

// A product overflows in the original model, but not after it is folded into the weights. An infinity or NaN
// that only the original model gives is no fault.
TEST(EmittedLayers, WhatOverflowsInTheOriginalAloneIsRight) {
  tilerig::test::OnnxModel model(21);
  model.input("x", DType::f32, {2, 2});
  model.initialiser("large", Tensor::scalar(1e30f));
  model.initialiser("w", Tensor::of<float>({2, 3}, {1e-30f, 2e-30f, 3e-30f, -1e-30f, 1e-30f, -2e-30f}));
  model.node("Mul", {"x", "large"}, {"product"});
  model.node("MatMul", {"product", "w"}, {"y"});
  model.output("y");
  TensorMap inputs;
  ASSERT_TRUE(inputs.add("x", Tensor::of<float>({2, 2}, {1e10f, 1e10f, 1, 2})));
  CompileOptions options;
  options.machine = valueOf(loadMachine("tr64"));
  options.program.tiles = 2;
  const SourceModel source = SourceModel::of("large", model.bytes());
  const Check check = valueOf(Check::create(source, inputs, options, testThreads()));
  EXPECT_TRUE(std::isnan(check.expectation().truth.find("y")->as<float>()[0]));
  for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
    EXPECT_EQ(layer.comparison.status, TensorStatus::match) << layer.name << ": " << layer.comparison.reason;
  CompiledModel wrong = check.model();
  changeConstant(wrong.layers, "MatMul", 1, [](Tensor &weights) { weights.mutableAs<float>()[0] *= 1.01f; });
  size_t mismatches = 0;
  for (const EmittedLayer &layer :
       valueOf(judgeEmitted(wrong, source, inputs, check.expectation().truth, testThreads())))
    mismatches += layer.comparison.status != TensorStatus::match;
  EXPECT_EQ(mismatches, 1u);
}

// The compiler's warnings are in the record of the run, and shown below the table.
TEST(CompilerWarnings, AreShown) {
  tilerig::test::OnnxModel model(21);
  model.input("x", DType::f32, {2, 2});
  model.initialiser("w", Tensor::of<float>({2, 3}, {1, 1e6f, -1, 0.5f, -1e6f, 2}));
  model.node("MatMul", {"x", "w"}, {"y"});
  model.output("y");
  TensorMap inputs;
  ASSERT_TRUE(inputs.add("x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})));
  CompileOptions options;
  options.machine = valueOf(loadMachine("tr64"));
  options.precision = "fp16";
  options.program.tiles = 2;
  const SourceModel source = SourceModel::of("large", model.bytes());
  const Check check = valueOf(Check::create(source, inputs, options, testThreads()));
  const CheckRun run = valueOf(check.run(check.program(), {.threads = 2, .jitter = {}}));
  CheckDescription description;
  description.warnings = check.model().warnings;
  std::vector<Json> records = {checkRunRecord(description, run)};
  ASSERT_EQ(records[0]["warnings"].size(), 1u);
  records.push_back(summaryRecord(records));
  EXPECT_NE(asCheckTable(records).find("warning: layer '"), std::string::npos);
  EXPECT_NE(asCheckTable(records).find("2 of 6 weights are too large for fp16 and become infinite"),
            std::string::npos);
}

// The tensors x, a, y and z are compared; b is not. With a = g(x), b = h(a) and y = f(a, b), y depends on a
// directly and through b. So a is the only compared tensor from which y is computed.
TEST(TensorSources, PassThroughTensorsThatAreNotCompared) {
  onnx::GraphProto graph;
  graph.add_input()->set_name("x");
  const auto add = [&](std::initializer_list<const char *> from, const char *to) {
    onnx::NodeProto &node = *graph.add_node();
    for (const char *name : from)
      node.add_input(name);
    node.add_output(to);
    return &node;
  };
  add({"x", "weights"}, "a");
  add({"a"}, "hidden");
  add({"hidden", ""}, "b");
  add({"a", "b"}, "y");
  onnx::AttributeProto &body = *add({"y"}, "z")->add_attribute();
  onnx::NodeProto &inner = *body.mutable_g()->add_node();
  inner.add_input("hidden");
  inner.add_output("inner");
  const TensorSources sources = sourcesOf(graph, {"x", "a", "y", "z"});
  const TensorSources expected = {{"a", {"x"}}, {"y", {"a"}}, {"z", {"a", "y"}}};
  EXPECT_EQ(sources, expected);
}

} // namespace
} // namespace tilerig::verify::test
