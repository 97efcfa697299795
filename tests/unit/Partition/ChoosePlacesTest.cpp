// Tests of the choice between host and accelerator for layers that can run on both: against the cheapest of
// all placements, and on a worked example.
#include "compiler/Planning/Partition/ChoosePlaces.h"
#include "isa/Timing/Host.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig::choosing {
using namespace compiler;

namespace {

constexpr auto accelerator = LayerPlace::accelerator, host = LayerPlace::host;
constexpr uint64_t passage = 240;
using Layers = std::vector<CostedLayer>;
using Places = std::vector<LayerPlace>;

// Adds a layer that gives one tensor and reads the outputs of the layers `readsFrom`, or the network's input
// if `readsFrom` is empty.
void add(Layers &layers, LayerPlace place, bool isFree, uint64_t acceleratorNanoseconds, uint64_t operations,
         uint64_t bytes, std::vector<size_t> readsFrom) {
  CostedLayer layer{.placed = {place, readsFrom},
                    .isFree = isFree,
                    .acceleratorNanoseconds = acceleratorNanoseconds,
                    .hostOperations = operations};
  for (const size_t before : readsFrom)
    layer.inputs.push_back(layers[before].outputs[0]);
  if (readsFrom.empty())
    layer.inputs.push_back({1000, bytes});
  layer.outputs.push_back({layers.size(), bytes});
  layers.push_back(std::move(layer));
}

Places placesOf(const std::vector<ChosenPlace> &chosen) {
  Places places;
  for (const ChosenPlace &choice : chosen)
    places.push_back(choice.place);
  return places;
}

Places startOf(const Layers &layers) {
  Places places;
  for (const CostedLayer &layer : layers)
    places.push_back(layer.placed.place);
  return places;
}

uint64_t leastTime(const Layers &layers) {
  std::vector<size_t> free;
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].isFree)
      free.push_back(i);
  uint64_t least = UINT64_MAX;
  for (uint64_t choice = 0; choice < uint64_t{1} << free.size(); ++choice) {
    Places places = startOf(layers);
    for (size_t i = 0; i < free.size(); ++i)
      if (choice >> i & 1)
        places[free[i]] = host;
    least = std::min(least, nanosecondsOf(layers, places, passage));
  }
  return least;
}

Layers randomLayers(test::Random &random, bool isChain) {
  Layers layers;
  const size_t count = 2 + random.below(7);
  for (size_t i = 0; i < count; ++i) {
    const bool isFree = random.chance(55), isHosts = !isFree && random.chance(70);
    std::vector<size_t> readsFrom;
    for (size_t before = 0; before < i; ++before)
      if (isChain ? before + 1 == i : random.chance(45))
        readsFrom.push_back(before);
    const uint64_t bytes = uint64_t{16} << random.below(16);
    add(layers, isHosts ? host : accelerator, isFree, bytes / 100, random.below(4) * bytes / 4, bytes,
        readsFrom);
  }
  return layers;
}

// Three layers in a chain, with `elements` elements each: a TopK on the host, a layer that can run on either
// side, and another TopK on the host.
Layers between(uint64_t elements, uint64_t operations) {
  Layers layers;
  add(layers, host, false, 0, 100, elements * 4, {});
  add(layers, accelerator, true, elements * 8 / 100, operations, elements * 4, {0});
  add(layers, host, false, 0, 100, elements * 4, {1});
  return layers;
}

} // namespace

TEST(ChosenPlaces, AreTheCheapestOfChains) {
  test::Random random(1);
  size_t moved = 0;
  for (int round = 0; round < 1000; ++round) {
    const Layers layers = randomLayers(random, true);
    const Places places = placesOf(choosePlaces(layers, passage));
    EXPECT_EQ(nanosecondsOf(layers, places, passage), leastTime(layers)) << "round " << round;
    moved += places != startOf(layers);
  }
  EXPECT_GE(moved, 100u) << "the networks are too simple to tell";
}

TEST(ChosenPlaces, AreNeverDearerAndSeldomNotTheCheapest) {
  test::Random random(2);
  size_t cheapest = 0;
  constexpr size_t rounds = 1000;
  for (size_t round = 0; round < rounds; ++round) {
    const Layers layers = randomLayers(random, false);
    const std::vector<ChosenPlace> chosen = choosePlaces(layers, passage);
    const uint64_t time = nanosecondsOf(layers, placesOf(chosen), passage);
    EXPECT_LE(time, nanosecondsOf(layers, startOf(layers), passage));
    cheapest += time == leastTime(layers);
    for (size_t i = 0; i < layers.size(); ++i) {
      ASSERT_EQ(chosen[i].times.has_value(), layers[i].isFree);
      if (!layers[i].isFree) {
        EXPECT_EQ(chosen[i].place, layers[i].placed.place);
        continue;
      }
      const bool isOnHost = chosen[i].place == host;
      EXPECT_EQ(isOnHost ? chosen[i].times->onHost : chosen[i].times->onAccelerator, time);
    }
  }
  EXPECT_GE(cheapest, rounds * 98 / 100);
}

TEST(ChosenPlaces, AreOnTheHostWhereThatSavesTime) {
  // With the layer on the accelerator, the host is called twice. This costs a second call (5000 ns), a fetch
  // of the tensor (1000 ns), the fixed cost `passage` of the accelerator region, and the time of the layer.
  EXPECT_EQ(placesOf(choosePlaces(between(1000, 125), passage)), Places({host, host, host}));
  const std::vector<ChosenPlace> chosen = choosePlaces(between(1000, 125), passage);
  const uint64_t link = 250; // transfer of 4000 bytes at 16 bytes per nanosecond
  const uint64_t before = 5000 + 1000 + link + 1000 + link + 100;
  EXPECT_EQ(chosen[1].times->onAccelerator, before + passage + 80 + before);
  EXPECT_EQ(chosen[1].times->onHost, before + 1000 + link + 125 + 1000 + link + 100);
  // The layer between two host layers needs 200,000 operations. One core of the host takes longer for them
  // than a return to the accelerator and another call of the host. So the layer stays on the accelerator.
  EXPECT_EQ(placesOf(choosePlaces(between(100'000, 200'000), passage)), Places({host, accelerator, host}));
}

TEST(ChosenPlaces, MoveTogetherToSaveACall) {
  // Two parallel layers between the same host operators: the second host call is saved only if both move to
  // the host.
  Layers layers;
  add(layers, host, false, 0, 100, 400, {});
  add(layers, accelerator, true, 10, 10, 400, {0});
  add(layers, accelerator, true, 10, 10, 400, {0});
  add(layers, host, false, 0, 100, 400, {1, 2});
  EXPECT_EQ(placesOf(choosePlaces(layers, passage)), Places(4, host));
}

TEST(ChosenPlaces, StayWithoutTheHost) {
  Layers layers;
  add(layers, accelerator, false, 1000, 0, 400, {});
  add(layers, accelerator, true, 10, 10, 400, {0});
  add(layers, accelerator, true, 10, 10, 400, {1});
  EXPECT_EQ(placesOf(choosePlaces(layers, passage)), Places(3, accelerator));
}

} // namespace tilerig::choosing
