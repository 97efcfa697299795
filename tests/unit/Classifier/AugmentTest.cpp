// Tests of data augmentation, which removes features and channels that real uses may lack.
#include "classifier/Training/Augment.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;
using verify::Fact;
using verify::FactNeed;

verify::Facts allKnown() {
  verify::Facts facts;
  facts.fill(0.5f);
  return facts;
}

TEST(Augment, TwoDumpsLackWhatNeedsMore) {
  const Changes changes = withoutMoreThan(FactNeed::tensors, allKnown());
  EXPECT_EQ(changes.facts[static_cast<size_t>(Fact::seamsKnown)], 0);
  EXPECT_EQ(changes.facts[static_cast<size_t>(Fact::oracleKnown)], 0);
  EXPECT_EQ(changes.facts[static_cast<size_t>(Fact::different)], 0.5f);
  EXPECT_TRUE(changes.missingChannels[static_cast<size_t>(verify::Channel::relativeBySeam)]);
  EXPECT_FALSE(changes.missingChannels[static_cast<size_t>(verify::Channel::relativeByOom)]);
}

TEST(Augment, ARunLacksNothing) {
  const Changes changes = withoutMoreThan(FactNeed::run, allKnown());
  EXPECT_EQ(changes.facts, allKnown());
  EXPECT_TRUE(changes.missingChannels.none());
}

// Augmentation never changes features of the errors themselves.
TEST(Augment, LeavesErrorsAlone) {
  for (uint64_t i = 0; i < 300; ++i) {
    const Changes changes = augment(allKnown(), Chance(1).of(i));
    for (auto fact = static_cast<size_t>(Fact::different); fact < verify::numFacts; ++fact)
      if (needOf(static_cast<Fact>(fact)) == FactNeed::tensors) {
        EXPECT_EQ(changes.facts[fact], 0.5f) << nameOf(static_cast<Fact>(fact));
      }
  }
}

TEST(Augment, SameChanceSameChanges) {
  const Changes one = augment(allKnown(), Chance(1).of(7)), two = augment(allKnown(), Chance(1).of(7));
  EXPECT_EQ(one.facts, two.facts);
  EXPECT_EQ(one.missingChannels, two.missingChannels);
  EXPECT_NE(augment(allKnown(), Chance(1).of(8)).facts, one.facts);
}

TEST(Chance, AnOrderHasEveryNumberOnce) {
  Chance chance(3);
  std::vector<size_t> order = chance.order(1000);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i)
    ASSERT_EQ(order[i], i);
}

} // namespace
} // namespace tilerig::test
