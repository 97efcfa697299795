// Tests of the check after each pass: it finds bugs injected into passes, and accuses no right pass.
#include "isa/Bugs/Catalogue.h"
#include "tests/support/OnnxModel.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/Injection.h"
#include "verify/Passes/PassRecord.h"

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
  EXPECT_EQ(compiled.passWithBug, pass);
  const auto &wrong = compiled.passes.firstWrong;
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->pass, pass);
  ASSERT_TRUE(wrong->rewrite);
  EXPECT_EQ(wrong->onnxNode, compiled.passBug->layerName);
  EXPECT_GT(wrong->maxAbs, wrong->bound);
  EXPECT_NE(wrong->reproducer.find(pass), std::string::npos);
  EXPECT_GE(wrong->reproducerOperations, 1u);
  EXPECT_LE(wrong->reproducerOperations, 4u);
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

// A small network with a place for bugs that networks of the zoo have no place for.
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
  for (const char *name : {"conv", "pooled", "difference"})
    model.output(name);
  return sourceOf("windows", model.proto());
}

constexpr std::pair<const char *, const char *> bugsOfWindows[] = {{"pad-merged-wrong", "fold-pads"},
                                                                   {"count-include-pad", "form-layers"},
                                                                   {"axis-not-adjusted", "form-layers"},
                                                                   {"merged-unequal", "cse"}};

TEST(WrongPassesOfSmallNetworks, AreNamed) {
  const SourceModel source = windows();
  for (const auto &[bug, pass] : bugsOfWindows) {
    SCOPED_TRACE(bug);
    const CompiledModel compiled =
        valueOf(compileStep(source, inputsOf(source), optionsWith(bug), testThreads()));
    EXPECT_EQ(compiled.passWithBug, pass);
    ASSERT_TRUE(compiled.passes.firstWrong);
    EXPECT_EQ(compiled.passes.firstWrong->pass, pass);
  }
}

// Bugs of which several passes can have each, or whose smallest module is large or not found.
constexpr std::pair<const char *, const char *> otherBugs[] = {{"permutation-inverse", "mobilenet_v2"},
                                                               {"activation-moved", "resnet18"},
                                                               {"removed-alive", "bert_tiny"}};

TEST(OtherWrongPasses, AreNamed) {
  for (const auto &[bug, network] : otherBugs) {
    SCOPED_TRACE(bug);
    const CompiledModel compiled = compiledWith(network, network == std::string("bert_tiny") ? 0 : 32, bug);
    ASSERT_TRUE(compiled.passes.firstWrong);
    EXPECT_EQ(compiled.passes.firstWrong->pass, compiled.passWithBug);
  }
}

// --- Wrong decisions on scales ---

constexpr const char *bugsOfScales[] = {"scale-of-neighbour", "zero-point-sign", "scale-shared-wrong",
                                        "bias-scale-short"};

TEST(WrongScales, AreNamedWithLayerAndClass) {
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 32, false));
  const TensorMap inputs = inputsOf(source);
  for (const char *const bug : bugsOfScales) {
    SCOPED_TRACE(bug);
    CompileOptions options = optionsWith(bug);
    options.precision = "int8";
    const Check check = valueOf(Check::create(source, inputs, options, testThreads()));
    compiler::PassCheckResult passes = check.model().passes;
    addPrecision(valueOf(check.judgeRoundedLayers()), check.model().oracleLayers, passes);
    ASSERT_TRUE(passes.firstWrong);
    EXPECT_EQ(passes.firstWrong->pass, "decide-precision");
    EXPECT_EQ(passes.firstWrong->onnxNode, check.model().passBug->layerName);
    EXPECT_EQ(classOf(*passes.firstWrong), BugClass::typeDecision);
  }
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

// A constant that is folded in another type is a wrong decision on a type; other bugs are wrong rewrites.
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
