// Tests of the scaling of features: means, deviations and hinges worked out by hand. A hinge is a value of a
// feature; the network also gets the amount by which the feature exceeds it.
#include "classifier/Training/FeatureScales.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;

// Eight training rows: the first feature is 0, 0, 1, ..., 6, the second is always 3, the others are zero.
Rows eightRows() {
  constexpr auto side = static_cast<int64_t>(verify::evidenceSide);
  Rows rows;
  for (float count : {0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}) {
    verify::Evidence evidence{Tensor(DType::u8, {verify::numChannels, side, side}),
                              Tensor(DType::u8, {verify::picturePlanes, side, side}),
                              {}};
    evidence.features[0] = count;
    evidence.features[1] = 3;
    rows.add(evidence, {});
  }
  return rows;
}

TEST(FeatureScales, MeanAndDeviationAreOfAllValues) {
  const FeatureScales scales = scalesOf(eightRows(), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_FLOAT_EQ(scales.mean[0], 2.625f);
  EXPECT_NEAR(scales.factor[0], 0.4722f, 1e-4); // 1 / standard deviation, that is, 1 / sqrt(11.375 - 2.625^2)
  EXPECT_FLOAT_EQ(scales.mean[1], 3);
  EXPECT_FLOAT_EQ(scales.factor[1], 20); // a constant feature gets the largest permitted scaling factor
}

TEST(FeatureScales, HingesAreQuantilesOfTheValues) {
  const FeatureScales scales = scalesOf(eightRows(), {0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(numHinges, 4u);
  for (size_t hinge = 0; hinge < numHinges; ++hinge) {
    EXPECT_EQ(scales.hinges[hinge * verify::numFeatures], static_cast<float>(hinge + 2));
    EXPECT_EQ(scales.hinges[hinge * verify::numFeatures + 1], 3);
    EXPECT_EQ(scales.hinges[hinge * verify::numFeatures + 2], 0);
    EXPECT_EQ(scales.hingeFactor[hinge * verify::numFeatures], scales.factor[0]);
  }
}

TEST(FeatureScales, AreOfTheRowsThatAreTrainedOn) {
  EXPECT_FLOAT_EQ(scalesOf(eightRows(), {0, 7}).mean[0], 3);
}

} // namespace
} // namespace tilerig::test
