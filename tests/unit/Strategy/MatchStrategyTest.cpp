// Tests of matching the layers of a strategy file to a network: by the compiler's layer numbers, or by names
// of ONNX nodes.
#include "compiler/Planning/Strategy/MatchStrategy.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// The start of a compiled residual network: a layer added by the compiler and a transpose come first, and the
// sum and the last activation are fused into the convolution before them.
std::vector<StrategyTarget> residual() {
  return {strategyTarget("convert", {}),
          strategyTarget("transpose", {"conv0", "bn0"}),
          strategyTarget("conv", {"conv0", "bn0", "relu0"}),
          strategyTarget("maxpool", {"pool0"}),
          strategyTarget("conv", {"conv1", "bn1", "plus0", "relu1"}),
          strategyTarget("matmul", {"fc"}),
          strategyTarget("softmax", {"fc"})};
}

StrategyLayer layer(int64_t id, const char *op, const char *first, const char *last,
                    std::vector<std::string> hints = {"split_io"}) {
  StrategyLayer all{.id = id, .op = op, .firstOnnxOp = first, .lastOnnxOp = last};
  all.hints = std::move(hints);
  return all;
}

int64_t idOf(const StrategyLayer &layer) {
  const auto matched = matchStrategy({{layer}}, residual());
  EXPECT_TRUE(matched) << matched.error().message();
  return matched ? matched->layers.at(0).id : 0;
}

TEST(MatchStrategy, TakesTheCompilersNumbers) {
  EXPECT_EQ(idOf(layer(1, "CONVERT", "", "")), 1);
  EXPECT_EQ(idOf(layer(2, "TRANSPOSE", "conv0", "bn0")), 2);
  EXPECT_EQ(idOf(layer(3, "CONV", "conv0", "relu0")), 3);
}

TEST(MatchStrategy, FindsOtherNumbersByNames) {
  EXPECT_EQ(idOf(layer(1, "CONV", "conv0", "relu0")), 3);
  // Two layers contain both ONNX nodes that the strategy names; the strategy's op CONV selects one of them.
  EXPECT_EQ(idOf(layer(1, "CONV", "conv0", "bn0")), 3);
  EXPECT_EQ(idOf(layer(2, "POOL", "pool0", "pool0")), 4);
  EXPECT_EQ(idOf(layer(9, "SOFTMAX", "fc", "fc")), 7);
}

TEST(MatchStrategy, IgnoresSuffixesOfTools) {
  EXPECT_EQ(idOf(layer(1, "CONV", "conv0_transpose", "relu0__1")), 3);
  EXPECT_EQ(idOf(layer(2, "MAXPOOL", "pool0__12", "pool0_transpose__1")), 4);
}

TEST(MatchStrategy, JoinsLayersThatAreFusedHere) {
  StrategyLayer conv = layer(3, "CONV", "conv1", "bn1", {"split_io", "dupl_wb"});
  conv.tiles = 4;
  const auto matched = matchStrategy({{conv, layer(4, "SUM", "plus0", "relu1")}}, residual());
  ASSERT_TRUE(matched) << matched.error().message();
  ASSERT_EQ(matched->layers.size(), 1u);
  EXPECT_EQ(matched->layers[0].id, 5);
  EXPECT_EQ(matched->layers[0].hints, (std::vector<std::string>{"split_io", "dupl_wb"}));
  EXPECT_EQ(matched->layers[0].tiles, 4);
  const auto again = matchStrategy(*matched, residual());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *matched);
}

TEST(MatchStrategy, LeavesOutLayersWithoutHints) {
  const auto matched = matchStrategy({{layer(8, "FLATTEN", "gone", "gone", {})}}, residual());
  ASSERT_TRUE(matched) << matched.error().message();
  EXPECT_TRUE(matched->layers.empty());
}

void expectRefused(const StrategyFile &file, const std::string &part) {
  const auto refused = matchStrategy(file, residual());
  ASSERT_FALSE(refused) << part;
  EXPECT_NE(refused.error().message().find(part), std::string::npos) << refused.error().message();
}

TEST(MatchStrategy, RefusesAmbiguousLayers) {
  expectRefused({{layer(1, "CONV", "conv0", "gone")}}, "'gone'");
  expectRefused({{layer(1, "CONV", "", "")}}, "ONNX node ''");
  expectRefused({{layer(1, "CONV", "conv0__x", "relu0")}}, "'conv0__x'");
  expectRefused({{layer(2, "SUM", "conv0", "bn0")}}, "layer 2 (TRANSPOSE) and layer 3 (CONV)");
  expectRefused({{layer(2, "CONV", "conv0", "relu1")}}, "layer 3 (CONV) and layer 5 (CONV)");
  StrategyLayer first = layer(3, "CONV", "conv1", "bn1"), second = layer(4, "SUM", "plus0", "relu1");
  first.tiles = 4, second.tiles = 8;
  expectRefused({{first, second}}, "layer 5");
}

} // namespace
} // namespace tilerig
