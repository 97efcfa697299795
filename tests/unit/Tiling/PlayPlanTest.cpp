// Of several plans the one is taken that the scheduler gets through first.
#include "compiler/Codegen/PlayPlan.h"
#include "tests/unit/Inject/Images.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

std::vector<TilePlan> plansOf(const DeviceNetwork &network, const Machine &machine, unsigned tiles) {
  Result<std::vector<TilePlan>> plans = planCandidates(network, machine, {.tiles = tiles}, 0);
  EXPECT_TRUE(plans) << plans.error().message();
  return *std::move(plans);
}

TEST(PlayedPlans, TakeWhatTheirProgramsAreExpectedToTake) {
  for (const bool eightBits : {false, true}) {
    const Images images(eightBits);
    const Machine machine = *loadMachine("tiny");
    uint64_t least = UINT64_MAX;
    for (const TilePlan &plan : plansOf(images.network, machine, 4))
      least = std::min(least, playPlan(images.network, plan, machine, {.tiles = 4})->cycles);
    EXPECT_EQ(generateProgram(images.network, machine, {.tiles = 4})->expectedCycles, least);
  }
}

TEST(PlayedPlans, TheFastestIsTakenAndOfEqualOnesTheFirst) {
  const Images images(true);
  const Machine machine = *loadMachine("tr64");
  // A single tile takes longer than many.
  const ProgramOptions options{.tiles = 16};
  TilePlan slow = plansOf(images.network, machine, 1).front(),
           fast = plansOf(images.network, machine, 16).front();
  ASSERT_GT(playPlan(images.network, slow, machine, options)->cycles,
            playPlan(images.network, fast, machine, options)->cycles);
  EXPECT_EQ(fastestPlan(images.network, {slow, fast}, machine, options)->plan.tiles, 16u);
  EXPECT_EQ(fastestPlan(images.network, {fast, slow}, machine, options)->plan.tiles, 16u);
  TilePlan same = fast;
  same.ddrEnd += 4096; // tells them apart, and takes no longer
  EXPECT_EQ(fastestPlan(images.network, {same, fast, slow}, machine, options)->plan.ddrEnd, same.ddrEnd);
}

TEST(PlayedPlans, NeitherEditsNorLayersApartHaveASay) {
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
