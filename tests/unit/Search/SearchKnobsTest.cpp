// Tests of the search on synthetic cost functions with known optima.
#include "compiler/Planning/Search/SearchKnobs.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

constexpr size_t numLayers = 4;

Knobs startKnobs() {
  Knobs knobs{.ddrReads = 32, .prefetchSteps = 8};
  for (size_t i = 0; i < numLayers; ++i) {
    StrategyLayer layer{.id = static_cast<int64_t>(i) + 1, .op = "CONV", .parts = {1}};
    if (i + 1 < numLayers)
      layer.toLayerIds = {layer.id + 1};
    knobs.strategy.layers.push_back(layer);
  }
  return knobs;
}

KnobSpace wholeSpace() {
  KnobSpace space{.ddrReads = {8, 16, 32}, .prefetchSteps = {2, 4, 8}};
  for (size_t i = 0; i < numLayers; ++i)
    space.layers.push_back({i, {{1}, {2}, {3}, {4}, {5}}});
  return space;
}

// Synthetic cost in cycles: the minimum, 1,000, is at 16 reads in flight, 4 time steps of prefetching, and 4
// parts in every layer; neighbouring layers with different parts cost more.
uint64_t costOf(const Knobs &knobs) {
  const auto gap = [](uint64_t a, uint64_t b) { return a > b ? a - b : b - a; };
  uint64_t cycles = 1000 + gap(*knobs.ddrReads, 16) + 10 * gap(*knobs.prefetchSteps, 4);
  const std::vector<StrategyLayer> &layers = knobs.strategy.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    cycles += 15 * gap(static_cast<uint64_t>(layers[i].parts[0]), 4);
    if (i > 0)
      cycles += layers[i].parts == layers[i - 1].parts ? 0 : 12;
  }
  return cycles;
}

SearchOutcome searched(const CyclesOf &estimated, const CyclesOf &measured, SearchOptions options) {
  auto outcome = searchKnobs(startKnobs(), wholeSpace(), estimated, measured, options);
  EXPECT_TRUE(outcome) << outcome.error().message();
  return *std::move(outcome);
}
const CyclesOf truth = [](const Knobs &knobs) -> Result<uint64_t> { return costOf(knobs); };

TEST(SearchKnobs, FindsTheBest) {
  int numOptimal = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const SearchOutcome outcome = searched(truth, truth, {.budget = 400, .seed = seed});
    EXPECT_EQ(outcome.cyclesBefore, costOf(startKnobs()));
    EXPECT_EQ(outcome.cycles, costOf(outcome.best));
    numOptimal += outcome.cycles == 1000;
  }
  EXPECT_GE(numOptimal, 9);
}

TEST(SearchKnobs, IsTheSameForTheSameSeed) {
  const SearchOptions options{.budget = 60, .seed = 7};
  const SearchOutcome first = searched(truth, truth, options), second = searched(truth, truth, options);
  EXPECT_EQ(first.best, second.best);
  EXPECT_EQ(first.measured, second.measured);
  EXPECT_NE(searched(truth, truth, {.budget = 5, .seed = 7}).best,
            searched(truth, truth, {.budget = 5, .seed = 8}).best);
}

// Tests that the search finds that exactly layers 2 and 3 should be fused.
TEST(SearchKnobs, FindsFusionBlocks) {
  const CyclesOf cost = [](const Knobs &knobs) -> Result<uint64_t> {
    const std::vector<StrategyLayer> &layers = knobs.strategy.layers;
    uint64_t cycles = 1000;
    for (size_t i = 0; i < layers.size(); ++i)
      cycles += isFused(layers[i]) == (i == 1 || i == 2) ? 0 : 8;
    return cycles + (layers[1].fusionBlock == layers[2].fusionBlock ? 0 : 8);
  };
  KnobSpace space = wholeSpace();
  space.formsBlocks = true;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto outcome = searchKnobs(startKnobs(), space, cost, cost, {.budget = 400, .seed = seed});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->cycles, 1000u) << seed;
    EXPECT_EQ(outcome->best.strategy.layers[1].hints, (std::vector<std::string>{"fusion_block"}));
    EXPECT_FALSE(isFused(outcome->best.strategy.layers[0]));
  }
}

// If the search finds nothing better than the compiler's own choices, it returns these, with no knob changed.
TEST(SearchKnobs, IsNeverWorseThanWhereItStarts) {
  const CyclesOf worse = [](const Knobs &knobs) -> Result<uint64_t> {
    return knobs == startKnobs() ? 10 : 20;
  };
  const SearchOutcome outcome = searched(truth, worse, {.budget = 50});
  EXPECT_EQ(outcome.best, startKnobs());
  EXPECT_EQ(outcome.cycles, 10u);
  EXPECT_EQ(outcome.improved, 0u);
}

TEST(SearchKnobs, KeepsToItsBudgetAndCountsWhatItDid) {
  unsigned estimates = 0, measurements = 0;
  const CyclesOf estimated = [&](const Knobs &knobs) -> Result<uint64_t> {
    ++estimates;
    if (knobs.strategy.layers[1].parts[0] == 3)
      return unsupported("layer 2", "its result cannot be split into 3 parts");
    return costOf(knobs);
  };
  const CyclesOf measured = [&](const Knobs &knobs) -> Result<uint64_t> {
    ++measurements;
    return costOf(knobs);
  };
  const SearchOutcome outcome = searched(estimated, measured, {.budget = 200, .seed = 3});
  EXPECT_EQ(outcome.tried, 200u);
  // Before the search tries anything, it estimates the cost of the compiler's own choices twice: without
  // hints, and with hints that state these choices.
  EXPECT_EQ(estimates, outcome.tried + 2);
  EXPECT_EQ(measurements, outcome.measured);
  EXPECT_EQ(outcome.tried + 2, outcome.refused + outcome.dropped + outcome.measured);
  EXPECT_GT(std::min({outcome.refused, outcome.dropped, outcome.measured, outcome.improved}), 0u);
  EXPECT_NE(outcome.best.strategy.layers[1].parts[0], 3);
}

TEST(SearchKnobs, StopsAtAnErrorOfTheCostFunction) {
  unsigned calls = 0;
  const CyclesOf fails = [&](const Knobs &knobs) -> Result<uint64_t> {
    if (++calls > 10)
      return internalError("the cost model", "it fails after 10 calls");
    return costOf(knobs);
  };
  const auto outcome = searchKnobs(startKnobs(), wholeSpace(), fails, truth, {.budget = 200});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::internal);
  EXPECT_EQ(calls, 11u);
}

TEST(SearchKnobs, EndsAtOnceWithoutOptionsToChange) {
  const auto outcome = searchKnobs(startKnobs(), {}, truth, truth, {.budget = 50});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->tried, 0u);
  EXPECT_EQ(outcome->cycles, costOf(startKnobs()));
}

} // namespace
} // namespace tilerig
