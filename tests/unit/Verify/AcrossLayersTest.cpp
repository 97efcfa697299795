// Tests of the verdict on a network: how the verdicts on its wrong layers are combined.
#include "verify/Verdict/AcrossLayers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace tilerig::test {
namespace {

using namespace verify;
using enum BugClass;
using Shares = std::map<BugClass, float>;

size_t at(BugClass bugClass) { return static_cast<size_t>(bugClass); }

LayerVerdict layer(const char *name, const Shares &shares, float unknown = 0.1f,
                   std::optional<uint32_t> tile = {}) {
  Verdict verdict{unknown > 0.5f ? Answer::unknown : Answer::named, "", noError, {}, unknown};
  for (const auto &[bugClass, share] : shares) {
    verdict.probabilities[at(bugClass)] = share;
    if (share > verdict.probabilities[at(verdict.bugClass)])
      verdict.bugClass = bugClass;
  }
  return {name, verdict, tile};
}

// Verdicts on so many different layers.
std::vector<LayerVerdict> manyLayers(int count, const Shares &shares, float unknown,
                                     std::optional<uint32_t> tile) {
  std::vector<LayerVerdict> layers;
  for (int i = 0; i < count; ++i)
    layers.push_back(layer(("layer" + std::to_string(i)).c_str(), shares, unknown, tile));
  return layers;
}

ExplainedCause causeOf(const LayerVerdict &verdict) { return {verdict.layer, {verdict.verdict.bugClass}}; }

std::vector<std::string> namesOf(const std::vector<LayerVerdict> &layers) {
  std::vector<std::string> names;
  for (const LayerVerdict &layer : layers)
    names.push_back(layer.layer);
  return names;
}
using Names = std::vector<std::string>;

// The mean is over the results of the first layer: another layer has a bug of its own.
TEST(AcrossLayers, AFewLayersGiveTheFirstLayerAndItsMean) {
  const std::vector<LayerVerdict> layers = {layer("conv1", {{padding, 0.6f}, {scaling, 0.4f}}),
                                            layer("conv1", {{padding, 0.8f}, {scaling, 0.2f}}),
                                            layer("conv2", {{padding, 0.1f}, {scaling, 0.9f}})};
  const auto all = verdictOfNetwork(layers);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->layer, "conv1");
  EXPECT_EQ(all->verdict.bugClass, padding);
  EXPECT_FLOAT_EQ(all->verdict.probabilities[at(padding)], 0.7f);
  const std::vector<LayerVerdict> others = otherBugs(layers, causeOf(*all));
  EXPECT_EQ(namesOf(others), Names{"conv2"});
  EXPECT_EQ(others.front().verdict.bugClass, scaling);
}

// One cause can spoil many layers: only what a change of the operands reproduces, and is of another class, is another bug.
TEST(AcrossLayers, ManyLayersHaveAnotherBugOnlyWhereItIsReproduced) {
  std::vector<LayerVerdict> layers = manyLayers(6, {{hardware, 0.9f}}, 0.1f, 3);
  layers.push_back(layer("strange", {{biasLoading, 0.9f}}));
  layers.push_back(layer("bias", {{biasLoading, 0.9f}}));
  layers.back().isReproduced = true;
  const LayerVerdict cause = *verdictOfNetwork(layers);
  EXPECT_EQ(cause.verdict.bugClass, hardware);
  EXPECT_EQ(namesOf(otherBugs(layers, causeOf(cause))), Names{"bias"});
  const std::vector<LayerVerdict> few(layers.end() - 2, layers.end());
  EXPECT_EQ(namesOf(otherBugs(few, causeOf(cause))), (Names{"strange", "bias"}));
}

// A race can spoil the layers beside it, so that they look like wrong addresses or weights that were not loaded.
TEST(AcrossLayers, AProvedCauseHasOnlyCertainBugsBesideIt) {
  const std::vector<LayerVerdict> layers = {
      layer("stale", {{coefficientLoading, 0.99f}}), layer("old", {{memoryMapping, 0.99f}}),
      layer("unsure", {{biasLoading, 0.5f}, {padding, 0.5f}}), layer("race", {{biasLoading, 0.99f}}),
      layer("unlike", {{biasLoading, 0.99f}}, 0.9f)};
  ExplainedCause race{"race", {synchronisation}, true};
  EXPECT_EQ(namesOf(otherBugs(layers, race)), Names{});
  EXPECT_EQ(namesOf(otherBugs({layers[0], layer("bias", {{biasLoading, 0.95f}})}, race)), Names{"bias"});
  race.classes = {synchronisation, biasLoading}; // what is proved to be possible is no other bug
  EXPECT_EQ(namesOf(otherBugs({layers[0], layer("bias", {{biasLoading, 0.95f}})}, race)), Names{});
}

TEST(AcrossLayers, UndecidedTensorsDoNotCount) {
  const auto all = verdictOfNetwork({{"conv1", cannotSay("too few"), {}}, layer("conv2", {{padding, 1}})});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->layer, "conv2"); // the layer of the evidence; the undecided one is another
  EXPECT_EQ(all->verdict.bugClass, padding);
  EXPECT_EQ(namesOf(otherBugs({{"conv1", cannotSay("too few"), {}}, layer("conv2", {{padding, 1}})},
                              causeOf(*all))),
            Names{"conv1"});
  const auto none = verdictOfNetwork({{"conv1", cannotSay("too few"), {}}});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->verdict.answer, Answer::cannotSay);
  EXPECT_FALSE(verdictOfNetwork({}));
}

TEST(AcrossLayers, MostResultsOfALayerHaveToBeUnknown) {
  const LayerVerdict known = layer("a", {{padding, 1}}), strange = layer("a", {{padding, 1}}, 0.9f);
  EXPECT_EQ(verdictOfNetwork({known, strange, strange})->verdict.answer, Answer::unknown);
  EXPECT_EQ(verdictOfNetwork({known, strange})->verdict.answer, Answer::named);
}

// Broken hardware leaves other traces in each layer, some of them unlike any known bug, but all on its tile.
TEST(AcrossLayers, ManyLayersOnOneTileAreBrokenHardware) {
  std::vector<LayerVerdict> layers = {layer("a", {{splitting, 0.6f}, {hardware, 0.3f}}, 0.2f, 3),
                                      layer("b", {{padding, 0.5f}, {hardware, 0.2f}}, 0.8f, 3),
                                      layer("c", {{splitting, 0.7f}, {hardware, 0.1f}}, 0.9f, 3),
                                      layer("d", {{dataAccess, 0.5f}, {hardware, 0.1f}}, 0.7f, 3),
                                      layer("e", {{hardware, 0.9f}}, 0.1f, 3)};
  const auto broken = verdictOfNetwork(layers);
  EXPECT_EQ(broken->verdict.answer, Answer::named);
  EXPECT_EQ(broken->verdict.bugClass, hardware);
  EXPECT_EQ(broken->layer, "a");
  const Probabilities &shares = broken->verdict.probabilities;
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0f), 1, 1e-5);
  // The same on other tiles is less certain.
  for (size_t i = 0; i < layers.size(); ++i)
    layers[i].tile = static_cast<uint32_t>(i);
  EXPECT_LT(verdictOfNetwork(layers)->verdict.probabilities[at(hardware)], shares[at(hardware)]);
}

// Where tiles exchange parts, a broken one spoils the results of all; in the other layers it stands out.
TEST(AcrossLayers, SomeLayersOnOneTileAreEnough) {
  std::vector<LayerVerdict> layers;
  for (int i = 0; i < 12; ++i)
    layers.push_back(layer(("l" + std::to_string(i)).c_str(),
                           {{splitting, 0.5f}, {memoryMapping, 0.3f}, {hardware, 0.1f}}, 0.6f,
                           i % 2 ? std::optional(3U) : std::nullopt));
  EXPECT_EQ(verdictOfNetwork(layers)->verdict.bugClass, hardware);
  layers[1].tile = layers[3].tile = 5; // two tiles
  EXPECT_NE(verdictOfNetwork(layers)->verdict.bugClass, hardware);
}

// A mistake that the compiler repeats in many layers looks the same in all of them.
TEST(AcrossLayers, TheSameMistakeInManyLayersKeepsItsClass) {
  std::vector<LayerVerdict> layers =
      manyLayers(20, {{biasLoading, 0.9f}, {hardware, 0.05f}, {scaling, 0.05f}}, 0.1f, 3);
  const auto all = verdictOfNetwork(layers);
  EXPECT_EQ(all->verdict.answer, Answer::named);
  EXPECT_EQ(all->verdict.bugClass, biasLoading);
  EXPECT_GT(all->verdict.probabilities[at(biasLoading)], 0.9f);
  // Nor does an uneven last part, on one tile in every layer, become broken hardware.
  layers = manyLayers(8, {{splitting, 0.7f}, {hardware, 0.1f}}, 0.1f, 3);
  EXPECT_EQ(verdictOfNetwork(layers)->verdict.bugClass, splitting);
}

// Several results of one layer are no many layers, nor are layers without a verdict.
TEST(AcrossLayers, OnlyLayersWithAVerdictCount) {
  std::vector<LayerVerdict> layers(6, layer("split", {{splitting, 0.6f}, {hardware, 0.3f}}, 0.1f, 3));
  EXPECT_FLOAT_EQ(verdictOfNetwork(layers)->verdict.probabilities[at(splitting)], 0.6f);
  layers = {layer("a", {{splitting, 0.6f}, {hardware, 0.3f}})};
  for (const char *name : {"b", "c", "d", "e"})
    layers.push_back({name, cannotSay("too few"), {}});
  EXPECT_FLOAT_EQ(verdictOfNetwork(layers)->verdict.probabilities[at(splitting)], 0.6f);
}

// The order of layers decides which layer is named, and nothing else.
TEST(AcrossLayers, TheOrderOfLayersChangesNoProbability) {
  std::vector<LayerVerdict> layers;
  for (int i = 0; i < 9; ++i)
    layers.push_back(
        layer(("l" + std::to_string(i)).c_str(),
              {{splitting, 0.1f * static_cast<float>(i)}, {overflow, 1 - 0.1f * static_cast<float>(i)}},
              0.05f * static_cast<float>(i), 1));
  const auto forth = verdictOfNetwork(layers);
  std::ranges::reverse(layers);
  const auto back = verdictOfNetwork(layers);
  for (size_t i = 0; i < numBugClasses; ++i)
    EXPECT_NEAR(forth->verdict.probabilities[i], back->verdict.probabilities[i], 1e-6) << i;
}

} // namespace
} // namespace tilerig::test
