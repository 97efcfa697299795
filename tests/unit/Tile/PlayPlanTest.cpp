// Tests of the choice among several plans and orders: the program that ends first is taken, and its predicted
// cycles equal those of the emulator.
#include "compiler/Tile/Emit/PlayPlan.h"

#include "tests/support/SmallDeviceNetwork.h"
#include "tests/unit/Tile/EmulatedCycles.h"
#include "tests/unit/Tile/ProductOp.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

std::vector<TilePlan> plansOf(const DeviceNetwork &network, const Machine &machine, unsigned tiles) {
  Result<std::vector<TilePlan>> plans = planCandidates(network, machine, {.tiles = tiles}, 0);
  EXPECT_TRUE(plans) << plans.error().message();
  return *std::move(plans);
}

// The estimated cycles of a plan if its tasks are ordered by a single rule.
uint64_t estimateOf(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                    const ProgramOptions &options, const OrderRule &rule) {
  return playPlan(network, plan, machine, options, {&rule, 1})->cycles.front();
}

// The cycles of the program of a plan if its tasks are ordered by a single rule.
uint64_t cyclesOf(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                  const ProgramOptions &options, const OrderRule &rule) {
  const PlayedPlan played = *playPlan(network, plan, machine, options, {&rule, 1});
  return finishPlan(network, plan, machine, options, played, {&rule, 1}, 0)->cycles;
}

TEST(PlayedPlans, TakeThePredictedCycles) {
  for (const bool eightBits : {false, true}) {
    const Images images(eightBits);
    const Machine machine = *loadMachine("tiny");
    const ProgramOptions options{.tiles = 4};
    uint64_t least = UINT64_MAX; // over the rules, each with the plan that it is estimated to make fastest
    const std::vector<TilePlan> plans = plansOf(images.network, machine, 4);
    for (const OrderRule &rule : orderRules(options)) {
      const auto plan = std::ranges::min_element(plans, {}, [&](const TilePlan &its) {
        return estimateOf(images.network, its, machine, options, rule);
      });
      least = std::min(least, cyclesOf(images.network, *plan, machine, options, rule));
    }
    const auto program = generateProgram(images.network, machine, options);
    EXPECT_EQ(program->expectedCycles, least);
    EXPECT_EQ(program->expectedCycles, emulatedCycles(program->program));
  }
}

// For each order, the cycles are predicted exactly. By default, the faster one of two orders is chosen.
TEST(PlayedPlans, OrdersTakeThePredictedCycles) {
  for (const bool eightBits : {false, true})
    for (const char *name : {"tiny", "tr16"}) {
      const Images images(eightBits);
      const Machine machine = *loadMachine(name);
      const uint64_t fastest = generateProgram(images.network, machine, {.tiles = 4})->expectedCycles;
      for (const OrderMode mode : {OrderMode::listed, OrderMode::interleaved, OrderMode::reordered}) {
        const auto program = generateProgram(images.network, machine, {.tiles = 4, .order = mode});
        EXPECT_EQ(program->expectedCycles, emulatedCycles(program->program));
        if (mode != OrderMode::listed) {
          EXPECT_LE(fastest, program->expectedCycles) << static_cast<int>(mode);
        }
      }
    }
}

TEST(PlayedPlans, RulesDifferAndKeepTheRequestedLimitOfReads) {
  for (const auto &order : {std::optional<OrderMode>(), std::optional(OrderMode::listed),
                            std::optional(OrderMode::interleaved), std::optional(OrderMode::reordered)})
    for (const auto &reads : {std::optional<uint32_t>(), std::optional(0u), std::optional(5u)}) {
      const ProgramOptions options{.order = order, .ddrReads = reads};
      const std::vector<OrderRule> rules = orderRules(options);
      EXPECT_FALSE(rules.empty());
      for (const OrderRule &rule : rules) {
        EXPECT_EQ(std::ranges::count(rules, rule), 1);
        EXPECT_TRUE(!order || rule.mode == *order);
        if (reads && rule.mode != OrderMode::listed) {
          EXPECT_EQ(rule.reads, MostInFlight{.transfers = *reads});
        }
        EXPECT_EQ(scheduleOptions(options, rule, {}).order.ddrReads, rule.reads);
      }
    }
}

TEST(PlayedPlans, TheFastestIsTakenAndOfEqualOnesTheFirst) {
  const Images images(true);
  const Machine machine = *loadMachine("tr64");
  // A plan for one tile is slower than one for 16 tiles.
  const ProgramOptions options{.tiles = 16};
  TilePlan slow = plansOf(images.network, machine, 1).front(),
           fast = plansOf(images.network, machine, 16).front();
  for (const OrderRule &rule : orderRules(options))
    ASSERT_GT(cyclesOf(images.network, slow, machine, options, rule),
              cyclesOf(images.network, fast, machine, options, rule));
  EXPECT_EQ(fastestPlan(images.network, {slow, fast}, machine, options)->plan.tiles, 16u);
  EXPECT_EQ(fastestPlan(images.network, {fast, slow}, machine, options)->plan.tiles, 16u);
  TilePlan same = fast;
  // A plan as fast as `fast`; another value of `ddrEnd` distinguishes the two.
  same.ddrEnd += 4096;
  EXPECT_EQ(fastestPlan(images.network, {same, fast, slow}, machine, options)->plan.ddrEnd, same.ddrEnd);
}

TEST(PlayedPlans, EditsAndSeparateLayersDoNotAffectTheChoice) {
  const Images images(true);
  const Machine machine = *loadMachine("tiny");
  PlanEdits edits;
  size_t edited = 0;
  edits.tasks = [&](const TilePlan &, ByteRange, std::vector<ProgramPart> &) {
    ++edited;
    return success();
  };
  const auto plain = generateProgram(images.network, machine, {.tiles = 4});
  const auto withEdits = generateProgram(images.network, machine, {.tiles = 4, .edits = &edits});
  EXPECT_EQ(edited, 1u);
  EXPECT_EQ(printStrategy(plain->strategy), printStrategy(withEdits->strategy));
  const auto apart = generateProgram(images.network, machine, {.tiles = 4, .apart = true});
  EXPECT_EQ(printStrategy(plain->strategy), printStrategy(apart->strategy));
}

} // namespace
} // namespace tilerig
