// Tests of mixtures, training rows made of two rows of different classes.
#include "classifier/Training/Mixtures.h"

#include "tests/unit/Classifier/ToyRows.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::test {
namespace {

using namespace classifier;
using verify::Feature;

TEST(Mixtures, AreOfRowsOfTwoClasses) {
  const Rows rows = toyRows(60, 1);
  const Indices all = allOf(rows);
  std::set<size_t> firsts;
  for (uint64_t i = 0; i < 100; ++i) {
    const Mixture mixture = drawMixture(rows, all, Chance(1).of(i));
    EXPECT_NE(rows.bugClass(mixture.first), rows.bugClass(mixture.second));
    firsts.insert(mixture.first);
  }
  EXPECT_GT(firsts.size(), 20u);
}

// A mixture of two training rows takes features and channels from both. Every feature of a row holds the
// row's number, which shows from which row the mixture took the feature.
TEST(Mixtures, HaveFeaturesOfBoth) {
  const verify::Evidence blank{Tensor(DType::u8, {channelBytes}), Tensor(DType::u8, {pictureBytes}), {}};
  Rows rows;
  for (float number : {1.0f, 2.0f}) {
    verify::Evidence evidence = blank;
    evidence.features.fill(number);
    verify::Origin origin;
    origin.bugClass = number == 1 ? BugClass::padding : BugClass::scaling;
    rows.add(evidence, origin);
  }
  size_t ofBoth = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const Mixture mixture = drawMixture(rows, allOf(rows), Chance(2).of(i));
    std::set<float> numbers;
    for (auto feature = static_cast<size_t>(Feature::different); feature < verify::numFeatures; ++feature)
      if (needOf(static_cast<Feature>(feature)) == verify::FeatureNeed::tensors)
        numbers.insert(mixture.changes.features[feature]);
    for (float number : numbers)
      EXPECT_TRUE(number == 1 || number == 2) << number;
    ofBoth += numbers.size() == 2 && mixture.ofSecond.any() && !mixture.ofSecond.all();
  }
  EXPECT_GT(ofBoth, 35u);
}

TEST(Mixtures, SameSeedSameMixture) {
  const Rows rows = toyRows(60, 1);
  const Mixture one = drawMixture(rows, allOf(rows), Chance(1).of(7)),
                two = drawMixture(rows, allOf(rows), Chance(1).of(7));
  EXPECT_EQ(one.first, two.first);
  EXPECT_EQ(one.second, two.second);
  EXPECT_EQ(one.changes.features, two.changes.features);
  EXPECT_EQ(one.ofSecond, two.ofSecond);
}

// If all rows are of one class, a mixture consists of a row and itself.
TEST(Mixtures, OfOneClassAlone) {
  const verify::Evidence blank{Tensor(DType::u8, {channelBytes}), Tensor(DType::u8, {pictureBytes}), {}};
  Rows rows;
  rows.add(blank, {});
  const Mixture mixture = drawMixture(rows, allOf(rows), Chance(1));
  EXPECT_EQ(mixture.first, 0u);
  EXPECT_EQ(mixture.second, 0u);
}

} // namespace
} // namespace tilerig::test
