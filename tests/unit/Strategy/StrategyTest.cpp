// Tests of the strategy file and of the meaning of its hints.
#include "compiler/Planning/Strategy/Hints.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

constexpr auto example = R"({
  "file_type": "ExtStrategy",
  "layers": [
    {"id": 1, "op": "CONV", "to_layer_ids": [2, 3], "first_onnx_op": "conv0", "last_onnx_op": "relu0",
     "strategy_applied": ["split_io", "dupl_wb"], "external_strategy_hints": ["split_io", "dupl_wb"]},
    {"id": 2, "op": "MAXPOOL", "to_layer_ids": [], "first_onnx_op": "pool0", "last_onnx_op": "pool0",
     "strategy_applied": ["split_io"], "external_strategy_hints": ["split_io"], "tiles": 16,
     "parts": [1, 4, 4, 1]}
  ]
})";

TEST(StrategyFile, IsReadAndWrittenBack) {
  const auto file = parseStrategy(example);
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->layers.size(), 2u);
  EXPECT_EQ(file->layers[0].toLayerIds, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(file->layers[0].firstOnnxOp, "conv0");
  EXPECT_EQ(file->layers[1].tiles, 16);
  EXPECT_EQ(file->layers[1].parts, (std::vector<int64_t>{1, 4, 4, 1}));
  const auto again = parseStrategy(printStrategy(*file));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *file);
}

TEST(StrategyFile, TakesSizesOfParts) {
  std::string text = example;
  text.replace(text.find("[1, 4, 4, 1]"), 12, "[8, [15, 15, 2], 4, 1]");
  const auto file = parseStrategy(text);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->layers[1].parts, (std::vector<int64_t>{8, 3, 4, 1}));
  EXPECT_EQ(file->layers[1].sizes, (std::vector<std::vector<int64_t>>{{}, {15, 15, 2}, {}, {}}));
  EXPECT_TRUE(file->layers[0].sizes.empty());
  const auto hints = hintsOf(file->layers[1]);
  ASSERT_TRUE(hints) << hints.error().message();
  EXPECT_EQ(hints->sizes, file->layers[1].sizes);
  const auto again = parseStrategy(printStrategy(*file));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *file);
}

void expectRefused(const std::string &text, const std::string &part) {
  const auto file = parseStrategy(text);
  ASSERT_FALSE(file) << text;
  EXPECT_NE(file.error().message().find(part), std::string::npos) << file.error().message();
}

TEST(StrategyFile, IsRefusedWithThePlace) {
  expectRefused("[]", "object");
  expectRefused(R"({"file_type": "Other", "layers": []})",
                "file_type: must be \"ExtStrategy\", not \"Other\"");
  expectRefused(R"({"layers": []})", "file_type: the key is missing");
  expectRefused(R"({"file_type": "ExtStrategy"})", "layers: the key is missing");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [7]})", "layers[0]: must be an object, not 7");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"op": "CONV"}]})",
                "layers[0].id: the key is missing");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 1, "op": 2}]})",
                "layers[0].op: must be a string, not 2");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 1, "op": "CONV", "colour": 1}]})",
                "layers[0].colour: unknown key");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 1, "op": "CONV", "first_onnx_op": "a",
                    "last_onnx_op": "a", "parts": [1, "x"]}]})",
                "layers[0].parts[1]: must be a whole number from ");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 1, "op": "CONV", "first_onnx_op": "a",
                    "last_onnx_op": "a", "parts": [1, [3, 2.5]]}]})",
                "layers[0].parts[1][1]: must be a whole number from ");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 1, "op": "CONV", "first_onnx_op": "a",
                    "last_onnx_op": "a", "parts": [1, []]}]})",
                "the list of sizes is empty");
  expectRefused(R"({"file_type": "ExtStrategy", "layers": [{"id": 18446744073709551615, "op": "CONV"}]})",
                "layers[0].id");
}

StrategyLayer layerWith(std::vector<std::string> hints) {
  StrategyLayer layer{.id = 3, .op = "CONV"};
  layer.hints = std::move(hints);
  layer.tiles = 8;
  return layer;
}

TEST(Hints, SelectTheSplit) {
  const auto both = hintsOf(layerWith({"split_io", "split_wb", "SAMM1"}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->cutsImage, true);
  EXPECT_EQ(both->cutsWeights, true);
  EXPECT_EQ(both->mapping, Mapping::samm1);
  EXPECT_EQ(both->tiles, 8);
  const auto same = hintsOf(layerWith({"dupl_wb", "DIRECTCONV"}));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->cutsWeights, false);
  EXPECT_EQ(same->flattening, Flattening::none);
  EXPECT_FALSE(same->cutsImage);
  EXPECT_FALSE(same->splitsDepth);
  const auto chains = hintsOf(layerWith({"split_k"}));
  ASSERT_TRUE(chains);
  EXPECT_TRUE(chains->splitsDepth);
  EXPECT_FALSE(chains->cutsWeights);
}

TEST(Hints, SelectTheConvolutionMethod) {
  const auto laidOut = hintsOf(layerWith({"FLATTEN_MM_OVERLAP", "SAMM2"}));
  ASSERT_TRUE(laidOut);
  EXPECT_EQ(laidOut->flattening, Flattening::overlapped);
  EXPECT_EQ(laidOut->mapping, Mapping::samm2);
  EXPECT_EQ(hintsOf(layerWith({"FLATTEN_MM"}))->flattening, Flattening::whole);
}

TEST(Hints, NameTheNumberThatCounts) {
  StrategyLayer layer = layerWith({"tiles"});
  layer.parts = {1, 2, 2, 1};
  EXPECT_EQ(hintsOf(layer)->tiles, 8);
  EXPECT_TRUE(hintsOf(layer)->parts.empty());
  layer.hints = {"parts", "SAMM1"};
  EXPECT_EQ(hintsOf(layer)->parts, layer.parts);
  EXPECT_FALSE(hintsOf(layer)->tiles);
  // If neither the hint `parts` nor the hint `tiles` is given, the layer's parts and its number of tiles are
  // both requested.
  layer.hints = {"SAMM1"};
  EXPECT_EQ(hintsOf(layer)->parts, layer.parts);
  EXPECT_EQ(hintsOf(layer)->tiles, 8);
}

TEST(Hints, AreRefusedWithoutTheNumberThatTheyName) {
  StrategyLayer layer = layerWith({"parts"});
  EXPECT_FALSE(hintsOf(layer));
  layer.hints = {"tiles"}, layer.tiles.reset();
  EXPECT_FALSE(hintsOf(layer));
}

TEST(Hints, NoHintsRequestNothing) {
  const auto none = hintsOf(layerWith({}));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(Hints, AreRefusedWhereTheyAreUnknownOrContradictEachOther) {
  for (const auto &[hints, part] :
       {std::pair{std::vector<std::string>{"split_up"}, "'split_up'"},
        {std::vector<std::string>{"split_wb", "dupl_wb"}, "'split_wb' and 'dupl_wb' exclude each other"},
        {std::vector<std::string>{"LAMM", "SAMM2"}, "LAMM, SAMM1 and SAMM2 exclude each other"},
        {std::vector<std::string>{"DIRECTCONV", "FLATTEN_MM"}, "FLATTEN_MM_OVERLAP exclude each other"},
        {std::vector<std::string>{"FLATTEN_MM_OVERLAP", "FLATTEN_MM"}, "DIRECTCONV, FLATTEN_MM and"}}) {
    const auto refused = hintsOf(layerWith(hints));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(part), std::string::npos) << refused.error().message();
  }
}

} // namespace
} // namespace tilerig
