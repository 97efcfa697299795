// Tests of data augmentation, which removes features and channels that real uses may lack.
#include "classifier/Training/Augment.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;
using verify::Feature;
using verify::FeatureNeed;

verify::Features allKnown() {
  verify::Features features;
  features.fill(0.5f);
  return features;
}

TEST(Augment, TwoDumpsLackEvidenceOfARun) {
  const Changes changes = withoutMoreThan(FeatureNeed::tensors, allKnown());
  EXPECT_EQ(changes.features[static_cast<size_t>(Feature::seamsKnown)], 0);
  EXPECT_EQ(changes.features[static_cast<size_t>(Feature::oracleKnown)], 0);
  EXPECT_EQ(changes.features[static_cast<size_t>(Feature::different)], 0.5f);
  EXPECT_TRUE(changes.missingChannels[static_cast<size_t>(verify::Channel::relativeBySeam)]);
  EXPECT_FALSE(changes.missingChannels[static_cast<size_t>(verify::Channel::relativeByOom)]);
}

TEST(Augment, ARunLacksNoEvidence) {
  const Changes changes = withoutMoreThan(FeatureNeed::run, allKnown());
  EXPECT_EQ(changes.features, allKnown());
  EXPECT_TRUE(changes.missingChannels.none());
}

// Augmentation never changes features that are measured on the errors of a tensor.
TEST(Augment, LeavesErrorsAlone) {
  for (uint64_t i = 0; i < 300; ++i) {
    const Changes changes = augment(allKnown(), Chance(1).of(i));
    for (auto feature = static_cast<size_t>(Feature::different); feature < verify::numFeatures; ++feature)
      if (needOf(static_cast<Feature>(feature)) == FeatureNeed::tensors) {
        EXPECT_EQ(changes.features[feature], 0.5f) << nameOf(static_cast<Feature>(feature));
      }
  }
}

TEST(Augment, SameSeedSameChanges) {
  const Changes one = augment(allKnown(), Chance(1).of(7)), two = augment(allKnown(), Chance(1).of(7));
  EXPECT_EQ(one.features, two.features);
  EXPECT_EQ(one.missingChannels, two.missingChannels);
  EXPECT_NE(augment(allKnown(), Chance(1).of(8)).features, one.features);
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
