// Tests of the check after each compiler pass: it finds bugs injected into passes, and reports no correct
// pass as wrong.
#include "isa/Bugs/Catalogue.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/Injection.h"
#include "verify/Passes/PassRecord.h"
#include "verify/Passes/ReplayPass.h"

namespace tilerig::verify::test {
namespace {

CompileOptions optionsWith(const std::string &bug) {
  CompileOptions options;
  options.machine = valueOf(loadMachine("tr64"));
  options.program.tiles = 4;
  options.judgesPasses = true;
  if (!bug.empty())
    options.passBug = valueOf(parseBugChoice(bug));
  return options;
}

CompiledModel compiledWith(const std::string &network, int64_t size, const std::string &bug) {
  const SourceModel source = sourceOf(network, zooNetwork(network, size, false));
  return valueOf(compileStep(source, inputsOf(source), optionsWith(bug), testThreads()));
}

// Expects that the reproducer of a wrong pass, read from its file, shows the same pass as wrong.
void expectFailsAgain(const compiler::WrongPass &wrong) {
  const TemporaryFolder folder;
  const std::string file = valueOf(writeReproducer(folder.path(), wrong));
  const Json again = valueOf(replayRecord(file, "", {}, testThreads()));
  ASSERT_FALSE(again["first_wrong"].is_null()) << wrong.reproducer;
  EXPECT_EQ(again["first_wrong"]["pass"], wrong.pass);
}

struct Case {
  std::string network;
  int64_t size;
  std::string bug, pass;
};

std::vector<Case> wrongPasses() {
  return {Case{"mobilenet_v2", 32, "fold-epsilon:power=-1", "fold-batch-norm"},
          Case{"mobilenet_v2", 32, "fold-shift-sign", "fold-batch-norm"},
          Case{"mobilenet_v2", 32, "fold-broadcast-axis", "fold-batch-norm"},
          Case{"mobilenet_v2", 32, "group-weights", "form-layers"},
          Case{"mobilenet_v2", 32, "clip-exchanged", "form-layers"},
          Case{"mobilenet_v2", 32, "residual-dropped", "fuse-addends"},
          Case{"bert_tiny", 0, "fold-constant-type:type=fp16", "fold-constants"},
          Case{"bert_tiny", 0, "operands-exchanged", "form-layers"},
          Case{"bert_tiny", 0, "softmax-axis", "form-layers"},
          Case{"bert_tiny", 0, "norm-axis", "form-layers"},
          Case{"bert_tiny", 0, "transposition-lost", "form-layers"},
          Case{"bert_tiny", 0, "residual-stale", "fuse-addends"},
          Case{"inception_v1", 64, "concat-order", "form-layers"}};
}

class WrongPasses : public testing::TestWithParam<Case> {};

TEST_P(WrongPasses, AreNamedWithRewriteNodeAndReproducer) {
  const auto &[network, size, bug, pass] = GetParam();
  const CompiledModel compiled = compiledWith(network, size, bug);
  ASSERT_TRUE(compiled.passBug);
  EXPECT_EQ(compiled.passBug->pass, pass);
  const auto &wrong = compiled.passes.firstWrong;
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->pass, pass);
  ASSERT_TRUE(wrong->rewrite);
  EXPECT_EQ(wrong->onnxNode, compiled.passBug->bug.layerName);
  EXPECT_GT(wrong->maxAbs, wrong->bound);
  EXPECT_NE(wrong->reproducer.find(pass), std::string::npos);
  EXPECT_GE(wrong->reproducerOperations, 1u);
  EXPECT_LE(wrong->reproducerOperations, 4u);
  expectFailsAgain(*wrong);
  const Json record = passRecord(compiled.passes, "here");
  EXPECT_EQ(record["status"], "wrong");
  EXPECT_EQ(record["first_wrong"]["pass"], pass);
}

INSTANTIATE_TEST_SUITE_P(, WrongPasses, testing::ValuesIn(wrongPasses()), [](const auto &info) {
  std::string name = info.param.network + "_" + info.param.bug;
  std::ranges::replace_if(
      name, [](char letter) { return !std::isalnum(letter); }, '_');
  return name;
});

// A small network for bugs that cannot be injected into any network of the zoo.
SourceModel windows() {
  tilerig::test::OnnxModel model(17);
  model.input("x", DType::f32, {1, 4, 8, 8});
  for (const auto &[name, values] : {std::pair{"pads", std::vector<int64_t>{0, 0, 0, 0, 0, 0, 1, 1}},
                                     {"first", {0}},
                                     {"second", {4}},
                                     {"last", {8}},
                                     {"axis", {3}}}) {
    Tensor tensor(DType::i64, {static_cast<int64_t>(values.size())});
    std::ranges::copy(values, tensor.mutableAs<int64_t>().begin());
    model.initialiser(name, tensor);
  }
  Tensor weights(DType::f32, {4, 4, 3, 3});
  for (size_t i = 0; i < weights.elementCount(); ++i)
    weights.mutableAs<float>()[i] = static_cast<float>(i % 7) / 8 - 0.25f;
  model.initialiser("w", weights);
  model.node("Pad", {"x", "pads"}, {"padded"});
  tilerig::test::setInts(model.node("Conv", {"padded", "w"}, {"conv"}), "strides", {1, 1});
  tilerig::test::setInts(model.node("AveragePool", {"x"}, {"pooled"}), "kernel_shape", {3, 3});
  tilerig::test::setInts(*model.graph.mutable_node(2), "pads", {1, 1, 1, 1});
  model.node("Slice", {"x", "first", "second", "axis"}, {"left"});
  model.node("Slice", {"x", "second", "last", "axis"}, {"right"});
  model.node("Sub", {"left", "right"}, {"difference"});
  Tensor scales(DType::f32, {4});
  std::ranges::copy(std::array{1.0f, 1.0f, 1.5f, 2.0f}, scales.mutableAs<float>().begin());
  model.initialiser("scales", scales);
  tilerig::test::setText(model.node("Resize", {"x", "", "scales"}, {"resized"}), "mode", "nearest");
  for (const char *name : {"conv", "pooled", "difference", "resized"})
    model.output(name);
  return sourceOf("windows", model.proto());
}

constexpr std::pair<const char *, const char *> bugsOfWindows[] = {{"pad-merged-wrong", "fold-pads"},
                                                                   {"count-include-pad", "form-layers"},
                                                                   {"axis-not-adjusted", "form-layers"},
                                                                   {"resize-rounding", "form-layers"},
                                                                   {"merged-unequal", "cse"}};

TEST(WrongPassesOfSmallNetworks, AreNamed) {
  const SourceModel source = windows();
  for (const auto &[bug, pass] : bugsOfWindows) {
    SCOPED_TRACE(bug);
    const CompiledModel compiled =
        valueOf(compileStep(source, inputsOf(source), optionsWith(bug), testThreads()));
    EXPECT_EQ(compiled.passBug->pass, pass);
    ASSERT_TRUE(compiled.passes.firstWrong);
    EXPECT_EQ(compiled.passes.firstWrong->pass, pass);
    expectFailsAgain(*compiled.passes.firstWrong);
  }
}

// Bugs that more than one compiler pass can have, or that may not show on a small module. Each bug comes with
// a network of the zoo on which the check must name the wrong pass.
constexpr std::pair<const char *, const char *> otherBugs[] = {{"permutation-inverse", "mobilenet_v2"},
                                                               {"activation-moved", "resnet18"},
                                                               {"removed-alive", "bert_tiny"}};

TEST(OtherWrongPasses, AreNamed) {
  for (const auto &[bug, network] : otherBugs) {
    SCOPED_TRACE(bug);
    const CompiledModel compiled = compiledWith(network, network == std::string("bert_tiny") ? 0 : 32, bug);
    ASSERT_TRUE(compiled.passes.firstWrong);
    EXPECT_EQ(compiled.passes.firstWrong->pass, compiled.passBug->pass);
    expectFailsAgain(*compiled.passes.firstWrong);
  }
}

// Tests of bugs in the choice of quantisation scales.

constexpr const char *bugsOfScales[] = {"scale-of-neighbour", "zero-point-sign", "scale-shared-wrong",
                                        "bias-scale-short"};

TEST(WrongScales, AreNamedWithLayerAndClass) {
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 32, false));
  const TensorMap inputs = inputsOf(source);
  for (const char *const bug : bugsOfScales) {
    SCOPED_TRACE(bug);
    CompileOptions options = optionsWith(bug);
    options.precision = "int8";
    const CompiledModel compiled = valueOf(compileStep(source, inputs, options, testThreads()));
    const auto &wrong = compiled.passes.firstWrong;
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->pass, "decide-precision");
    EXPECT_EQ(wrong->onnxNode, compiled.passBug->bug.layerName);
    EXPECT_EQ(classOf(*wrong), BugClass::typeDecision);
    EXPECT_LE(wrong->reproducerOperations, 3u);
    expectFailsAgain(*wrong);
  }
}

TEST(WrongPass, IsReportedThoughTheCompilationFails) {
  const SourceModel source = windows();
  CompileOptions options = optionsWith("merged-unequal");
  compiler::StrategyLayer layer{.id = 1, .op = "CONV", .firstOnnxOp = "gone", .lastOnnxOp = "gone"};
  layer.hints = {"split_io"};
  options.program.strategy.layers.push_back(layer);
  compiler::PassCheckResult passes;
  options.onPasses = [&](const auto &judged, const auto &) { passes = judged; };
  EXPECT_FALSE(compileStep(source, inputsOf(source), options, testThreads()));
  ASSERT_TRUE(passes.firstWrong);
  EXPECT_EQ(passes.firstWrong->pass, "cse");
}

TEST(BugsOfPasses, AreAllTriedHere) {
  std::set<std::string_view> tried;
  for (const Case &each : wrongPasses())
    tried.insert(valueOf(parseBugChoice(each.bug)).bug->id);
  for (const auto &list : {std::span(bugsOfWindows).first(std::size(bugsOfWindows)),
                           std::span(otherBugs).first(std::size(otherBugs))})
    for (const auto &[bug, where] : list)
      tried.insert(bug);
  tried.insert(std::begin(bugsOfScales), std::end(bugsOfScales));
  for (const Bug &bug : bugCatalogue())
    EXPECT_EQ(tried.contains(bug.id), bug.isInPass()) << bug.id;
}

class RightPasses : public testing::TestWithParam<std::string> {};

TEST_P(RightPasses, AreNotAccused) {
  const CompiledModel compiled = compiledWith(GetParam(), GetParam() == "bert_tiny" ? 0 : 64, "");
  EXPECT_GT(compiled.passes.ran, 20u);
  EXPECT_GT(compiled.passes.checked, 3u);
  EXPECT_TRUE(compiled.passes.precisionIndex);
  for (const compiler::SkippedPass &skipped : compiled.passes.skipped)
    ADD_FAILURE() << skipped.pass << ": " << skipped.reason;
  EXPECT_FALSE(compiled.passes.firstWrong) << compiled.passes.firstWrong->pass;
}

INSTANTIATE_TEST_SUITE_P(, RightPasses,
                         testing::Values("squeezenet", "mobilenet_v2", "bert_tiny", "inception_v1"));

// Small networks on which the check could take a correct pass for a wrong one, for example because the pass
// changes roundings.

// GELU as several nodes with a float constant for the root of two, which the operator Gelu knows exactly.
// Another node reads one of the tensors in between, so that this tensor is compared.
void addGelu(tilerig::test::OnnxModel &model) {
  model.initialiser("root", Tensor::of<float>({}, {1.41421354f}));
  model.initialiser("one", Tensor::of<float>({}, {1}));
  model.initialiser("half", Tensor::of<float>({}, {0.5f}));
  model.node("Div", {"x", "root"}, {"quotient"});
  model.node("Erf", {"quotient"}, {"erf"});
  model.node("Add", {"erf", "one"}, {"gate"});
  model.node("Mul", {"gate", "half"}, {"halved"});
  model.node("Mul", {"halved", "x"}, {"y"});
  model.node("Neg", {"halved"}, {"z"});
}

// HardSwish as nodes: the attribute of HardSigmoid holds 1/6 as a float, while the operator HardSwish knows
// it exactly.
void addHardSwish(tilerig::test::OnnxModel &model) {
  auto &gate = model.node("HardSigmoid", {"x"}, {"gate"});
  tilerig::test::setFloat(gate, "alpha", 1.0f / 6);
  tilerig::test::setFloat(gate, "beta", 0.5f);
  model.node("Mul", {"gate", "x"}, {"y"});
  model.node("Neg", {"gate"}, {"z"});
}

// The importer folds the product of two constants and rounds it to float, but the original model computes it
// exactly. A pass removes the Identity, so that "z" is then computed from the rounded product.
void addFoldedConstant(tilerig::test::OnnxModel &model) {
  model.initialiser("a", Tensor::of<float>({1, 4}, {0.1f, 0.7f, 0.3f, 1.1f}));
  model.initialiser("b", Tensor::of<float>({}, {0.7f}));
  model.initialiser("shape", Tensor::of<int64_t>({2}, {2, 4}));
  model.node("Mul", {"a", "b"}, {"product"});
  model.node("Add", {"x", "product"}, {"y"});
  model.node("Identity", {"y"}, {"copy"});
  model.node("Expand", {"copy", "shape"}, {"expanded"});
  model.node("Neg", {"expanded"}, {"z"});
}

// A Cast from float to float, which changes nothing in fp32 but rounds in a run that computes in doubles.
void addCast(tilerig::test::OnnxModel &model) {
  model.node("Sigmoid", {"x"}, {"gate"});
  tilerig::test::setInt(model.node("Cast", {"gate"}, {"y"}), "to", 1);
  model.node("Neg", {"y"}, {"z"});
}

// Quantised layers: between two quantisations, the compiler computes in integers where the model computes in
// floats.
void addQuantised(tilerig::test::OnnxModel &model) {
  model.initialiser("scale", Tensor::of<float>({}, {0.03125f}));
  model.initialiser("zero", Tensor::of<int8_t>({}, {0}));
  model.initialiser("w", Tensor::of<int8_t>({4, 3}, {1, 12, -20, 7, 33, -9, 60, 2, 5, -40, 16, 3}));
  model.node("QuantizeLinear", {"x", "scale", "zero"}, {"integers"});
  model.node("DequantizeLinear", {"integers", "scale", "zero"}, {"reals"});
  model.node("DequantizeLinear", {"w", "scale", "zero"}, {"weights"});
  model.node("MatMul", {"reals", "weights"}, {"product"});
  model.node("QuantizeLinear", {"product", "scale", "zero"}, {"rounded"});
  model.node("DequantizeLinear", {"rounded", "scale", "zero"}, {"y"});
  model.node("Relu", {"y"}, {"positive"});
  model.node("QuantizeLinear", {"positive", "scale", "zero"}, {"positives"});
  model.node("DequantizeLinear", {"positives", "scale", "zero"}, {"z"});
}

// NonZero, whose result has a size that depends on values; the layer stores it in a tensor of the largest
// possible size.
void addNonZero(tilerig::test::OnnxModel &model) {
  model.node("Relu", {"x"}, {"y"});
  model.node("NonZero", {"y"}, {"z"});
}

// An RNN with layout 1 (batch first), whose operands and results the importer transposes.
void addBatchFirst(tilerig::test::OnnxModel &model) {
  model.initialiser("axis", Tensor::of<int64_t>({1}, {1}));
  model.initialiser("w", Tensor::of<float>({1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  model.initialiser("r", Tensor::of<float>({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  model.node("Unsqueeze", {"x", "axis"}, {"images"});
  auto &layer = model.node("RNN", {"images", "w", "r"}, {"y", "z"});
  tilerig::test::setInt(layer, "hidden_size", 3);
  tilerig::test::setInt(layer, "layout", 1);
}

using AddNodes = void (*)(tilerig::test::OnnxModel &model); // that compute "y" and "z" from "x" [2, 4]
constexpr std::pair<const char *, AddNodes> smallNetworks[] = {{"Gelu", addGelu},
                                                               {"HardSwish", addHardSwish},
                                                               {"FoldedConstant", addFoldedConstant},
                                                               {"Cast", addCast},
                                                               {"Quantised", addQuantised},
                                                               {"NonZero", addNonZero},
                                                               {"BatchFirst", addBatchFirst}};

TEST(RightPassesOfSmallNetworks, AreNotAccused) {
  for (const auto &[name, add] : smallNetworks) {
    SCOPED_TRACE(name);
    tilerig::test::OnnxModel model(17);
    model.input("x", DType::f32, {2, 4});
    add(model);
    model.output("y");
    model.output("z");
    const SourceModel source = sourceOf(name, model.proto());
    CompileOptions options = optionsWith("");
    if (add == addCast)
      // without this option, the pass remove-no-ops would remove the Cast that the test is about
      options.passes.without = {"remove-no-ops"};
    const CompiledModel compiled = valueOf(compileStep(source, inputsOf(source), options, testThreads()));
    EXPECT_GT(compiled.passes.checked, 0u);
    for (const compiler::SkippedPass &skipped : compiled.passes.skipped)
      ADD_FAILURE() << skipped.pass << ": " << skipped.reason;
    EXPECT_FALSE(compiled.passes.firstWrong) << compiled.passes.firstWrong->pass;
  }
}

// If the results of a wrong pass look as if it had rounded a constant to another type, the bug class is
// typeDecision; otherwise it is rewrite.
TEST(WrongPass, HasAClass) {
  compiler::WrongPass wrong;
  ASSERT_TRUE(wrong.values.add("before", Tensor::of<double>({2}, {0.1, 0.7})));
  ASSERT_TRUE(wrong.values.add("after", Tensor::of<double>({2}, {0.0999755859375, 0.7001953125})));
  EXPECT_EQ(classOf(wrong), BugClass::typeDecision);
  *wrong.values.find("after") = Tensor::of<double>({2}, {0.1, 0.8});
  EXPECT_EQ(classOf(wrong), BugClass::rewrite);
}

} // namespace
} // namespace tilerig::verify::test
