// Tests of the grouping of layers into host and accelerator regions: as few as an exhaustive search finds;
// invalid groupings are refused.
#include "compiler/Planning/Partition/Regions.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;

namespace {

constexpr auto accelerator = LayerPlace::accelerator, host = LayerPlace::host;
using Layers = std::vector<PlacedLayer>;
using Regions = std::vector<LayerRegion>;

// The minimal number of regions over all topological orders of the layers, by dynamic programming over the
// set of layers that have run and the side (host or accelerator) on which the last one ran.
size_t leastRegions(const Layers &layers) {
  const size_t sets = size_t{1} << layers.size();
  std::vector<std::array<size_t, 2>> fewest(sets, {SIZE_MAX, SIZE_MAX});
  fewest[0] = {0, 0};
  for (size_t done = 0; done < sets; ++done)
    for (size_t last = 0; last < 2; ++last) {
      if (fewest[done][last] == SIZE_MAX)
        continue;
      for (size_t next = 0; next < layers.size(); ++next) {
        const bool isReady = std::ranges::all_of(layers[next].readsFrom,
                                                 [&](size_t before) { return (done >> before & 1) != 0; });
        if ((done >> next & 1) != 0 || !isReady)
          continue;
        const auto place = static_cast<size_t>(layers[next].place);
        const size_t now = fewest[done][last] + (done == 0 || place != last ? 1 : 0);
        size_t &known = fewest[done | size_t{1} << next][place];
        known = std::min(known, now);
      }
    }
  return std::ranges::min(fewest.back());
}

Layers randomLayers(test::Random &random) {
  Layers layers(random.below(11));
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].place = random.chance(33) ? host : accelerator;
    for (size_t before = 0; before < i; ++before)
      if (random.chance(25))
        layers[i].readsFrom.push_back(before);
  }
  return layers;
}

} // namespace

TEST(LayerRegions, AreAsFewAsAnyOrderHas) {
  test::Random random(1);
  size_t most = 0;
  for (int round = 0; round < 2000; ++round) {
    const Layers layers = randomLayers(random);
    const Regions regions = formRegions(layers);
    const Status checked = verifyRegions(layers, regions);
    EXPECT_TRUE(checked) << checked.error().message();
    EXPECT_EQ(regions.size(), leastRegions(layers));
    most = std::max(most, regions.size());
  }
  EXPECT_GE(most, 5u) << "the networks are too simple to tell";
}

TEST(LayerRegions, JoinOperatorsSideBySide) {
  // Two branches, each with an accelerator layer before and after a host operator.
  const Layers layers = {{accelerator, {}}, {host, {0}}, {accelerator, {1}},
                         {accelerator, {}}, {host, {3}}, {accelerator, {4}}};
  const Regions expected = {{accelerator, {0, 3}}, {host, {1, 4}}, {accelerator, {2, 5}}};
  EXPECT_EQ(formRegions(layers), expected);
}

TEST(LayerRegions, BeginWithTheHostWhereThatSavesARegion) {
  const Layers layers = {{accelerator, {}}, {host, {}}, {accelerator, {1}}};
  const Regions expected = {{host, {1}}, {accelerator, {0, 2}}};
  EXPECT_EQ(formRegions(layers), expected);
}

TEST(LayerRegions, AreRefusedWhereTheyAreWrong) {
  const Layers layers = {{accelerator, {}}, {host, {0}}, {accelerator, {1}}};
  const Regions good = {{accelerator, {0}}, {host, {1}}, {accelerator, {2}}};
  EXPECT_TRUE(verifyRegions(layers, good));
  EXPECT_FALSE(verifyRegions(layers, Regions{{accelerator, {0}}, {host, {1}}})) << "one is missing";
  EXPECT_FALSE(verifyRegions(layers, Regions{{accelerator, {0, 2}}, {host, {1}}}))
      << "read before it is there";
  EXPECT_FALSE(verifyRegions(layers, Regions{{accelerator, {0}}, {host, {1, 2}}})) << "in the wrong place";
  EXPECT_FALSE(verifyRegions(layers, Regions{{accelerator, {0}}, {host, {1, 1}}, {accelerator, {2}}}));
  EXPECT_FALSE(
      verifyRegions(layers, Regions{{accelerator, {0}}, {host, {}}, {host, {1}}, {accelerator, {2}}}));
  EXPECT_FALSE(verifyRegions(Layers{{host, {}}, {host, {}}}, Regions{{host, {0}}, {host, {1}}}))
      << "one region";
  EXPECT_FALSE(verifyRegions(layers, Regions{{accelerator, {0}}, {host, {1}}, {accelerator, {3}}}))
      << "no layer";
}

} // namespace tilerig
