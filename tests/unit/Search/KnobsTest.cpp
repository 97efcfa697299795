// Tests of the knobs, the compiler's options that the search varies: how they are written on the command
// line, and how those for single layers are stored in a strategy.
#include "compiler/Planning/Search/Knobs.h"

#include "compiler/Planning/Strategy/Hints.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

using Words = std::vector<std::string>;

TEST(Knobs, AddNoOptionsAtTheirDefaults) { EXPECT_EQ(wordsOf(Knobs{}, "s.json"), Words{}); }

TEST(Knobs, BecomeCommandLineOptions) {
  Knobs knobs{.precision = "int8", .calibration = "table.json", .batch = 8, .machine = "tr16", .tiles = 12};
  knobs.pinsWeights = true, knobs.ddrReads = 0, knobs.prefetchSteps = 4;
  EXPECT_EQ(wordsOf(knobs, "s.json"),
            (Words{"--precision", "int8", "--calibration", "table.json", "--batch", "8", "--machine", "tr16",
                   "--tiles", "12", "--ddr-reads", "0", "--prefetch", "4", "--wb-pin-ocm"}));
}

// A strategy that requests nothing for any layer adds no option to the command line and needs no file.
TEST(Knobs, NameTheStrategyFileIfItHasHints) {
  Knobs knobs;
  knobs.strategy.layers = {{.id = 1, .op = "CONV", .tiles = 64}, {.id = 2, .op = "ADD"}};
  EXPECT_EQ(wordsOf(knobs, "s.json"), Words{});
  useTiles(knobs.strategy.layers[0], 16);
  EXPECT_EQ(wordsOf(knobs, "s.json"), (Words{"--strategy", "s.json"}));
  leaveOpen(knobs.strategy.layers[0]);
  EXPECT_EQ(wordsOf(knobs, "s.json"), Words{});
}

TEST(Knobs, OfALayerAskForThatAlone) {
  StrategyLayer layer{.id = 1, .op = "CONV", .hints = {"split_io"}, .tiles = 64, .parts = {1, 64, 1, 1}};
  useTiles(layer, 16);
  EXPECT_EQ(hintsOf(layer)->tiles, 16);
  EXPECT_TRUE(hintsOf(layer)->parts.empty());
  EXPECT_FALSE(hintsOf(layer)->cutsImage);
  useParts(layer, {1, 2, 2, 1});
  EXPECT_EQ(hintsOf(layer)->parts, (std::vector<int64_t>{1, 2, 2, 1}));
  EXPECT_FALSE(hintsOf(layer)->tiles);
  leaveOpen(layer);
  EXPECT_TRUE(hintsOf(layer)->empty());
}

} // namespace
} // namespace tilerig
