// Tests of the check after each pass: it finds bugs injected into passes, and accuses no right pass.
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

INSTANTIATE_TEST_SUITE_P(, WrongPasses,
                         testing::Values(Case{"mobilenet_v2", 32, "fold-epsilon:power=-1", "fold-batch-norm"},
                                         Case{"mobilenet_v2", 32, "fold-shift-sign", "fold-batch-norm"},
                                         Case{"mobilenet_v2", 32, "fold-broadcast-axis", "fold-batch-norm"},
                                         Case{"mobilenet_v2", 32, "group-weights", "form-layers"},
                                         Case{"mobilenet_v2", 32, "clip-exchanged", "form-layers"},
                                         Case{"mobilenet_v2", 32, "residual-dropped", "fuse-addends"},
                                         Case{"bert_tiny", 0, "fold-constant-type:type=fp16",
                                              "fold-constants"},
                                         Case{"bert_tiny", 0, "operands-exchanged", "form-layers"},
                                         Case{"bert_tiny", 0, "softmax-axis", "form-layers"},
                                         Case{"bert_tiny", 0, "norm-axis", "form-layers"},
                                         Case{"bert_tiny", 0, "transposition-lost", "form-layers"},
                                         Case{"bert_tiny", 0, "residual-stale", "fuse-addends"},
                                         Case{"inception_v1", 64, "concat-order", "form-layers"}),
                         [](const auto &info) {
                           std::string name = info.param.network + "_" + info.param.bug;
                           std::ranges::replace_if(
                               name, [](char letter) { return !std::isalnum(letter); }, '_');
                           return name;
                         });

class RightPasses : public testing::TestWithParam<std::string> {};

TEST_P(RightPasses, AreNotAccused) {
  const CompiledModel compiled = compiledWith(GetParam(), GetParam() == "bert_tiny" ? 0 : 64, "");
  EXPECT_GT(compiled.passes.ran, 20u);
  EXPECT_GT(compiled.passes.checked, 3u);
  EXPECT_EQ(compiled.passes.notJudged,
            (std::vector<std::string>{"decide-precision", "canonicalize", "cse", "partition-layers"}));
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
