// Tests of the classifier's maps of errors, including the map of lags (distances at which the target matches
// the reference) and the map that compares with results of other runs, on tensors so small that each cell can
// be predicted.
#include "tests/unit/Verify/EvidencePair.h"
#include "verify/Evidence/Channels.h"

#include <cmath>

namespace tilerig::verify {
namespace {

using EvidenceMaps = test::EvidencePair;

// The value of a map cell that covers two elements, one per channel, of which one is wrong.
const float oneOfTwo = static_cast<float>(1 / std::log2(3.0));

TEST_F(EvidenceMaps, OneElementIsWhereItIs) {
  at(1, 2, 3) += 64; // an error of 64, as large as the largest reference
  make();
  // Each row of the image covers sixteen lines of the map, and each column covers eight.
  expectOnly(Channel::differingByImage, 32, 16, 24, 8, oneOfTwo);
  // An error as large as the largest reference element, and less than twice as large, has level 31 of 35.
  expectOnly(Channel::errorByImage, 32, 16, 24, 8, 31.0F / 35);
  // The wrong element lies in the second of two channels and is element 19 of 32 there.
  expectOnly(Channel::differingByChannel, 32, 32, 38, 2, 1);
  expectOnly(Channel::differingByLanes, 32, 32, 38, 2, 1);
  expectOnly(Channel::varyingByImage, 0, 0, 0, 0, 0);
  expectOnly(Channel::isolatedByAccumulated, 0, 0, 0, 0, 0);
}

TEST_F(EvidenceMaps, ErrorsHaveTheirSigns) {
  at(0, 0, 0) += 2;
  at(1, 3, 7) -= 1;
  make();
  for (size_t row = 0; row < 64; ++row)
    for (size_t column = 0; column < 64; ++column) {
      const bool isFirst = row < 32 && column < 2, isLast = row >= 32 && column >= 62;
      ASSERT_EQ(cell(Channel::errorByChannel, row, column), isFirst  ? 1
                                                            : isLast ? 0.25F
                                                                     : 0.5F)
          << row << ", " << column;
    }
}

TEST_F(EvidenceMaps, LongAxesShareCellsOut) {
  reference = target = Tensor(DType::f32, {1, 1, 128, 1}); // each map cell covers two of the 128 rows
  target.mutableAs<float>()[127] = 1;
  make();
  expectOnly(Channel::differingByImage, 63, 1, 0, 64, oneOfTwo);
  // In the map of indices modulo 64, the last of 128 elements is in the last column.
  expectOnly(Channel::differingByLanes, 0, 64, 63, 1, oneOfTwo);
}

// Every element is replaced by the one two places to its right, where there is one: a peak in the lag map.
TEST_F(EvidenceMaps, AShiftIsAPeak) {
  for (size_t channel = 0; channel < 2; ++channel)
    for (size_t y = 0; y < 4; ++y)
      for (size_t x = 0; x < 6; ++x)
        at(channel, y, x) = due(channel, y, x + 2);
  make();
  for (size_t row = 0; row < 64; ++row)
    for (size_t lag = 0; lag < 63; ++lag) {
      const bool isWidth = row < 8, isMemory = row >= 48 && row < 56, isEqual = row % 16 < 8;
      if (isEqual) {
        ASSERT_EQ(cell(Channel::lags, row, lag), (isWidth || isMemory) && lag == 31 + 2 ? 1 : 0)
            << row << ", " << lag;
      }
    }
  // Along the width, the target correlates with the reference at a distance of 2.
  EXPECT_NEAR(cell(Channel::lags, 8, 33), 1, 1e-6);
  // Along the height, the target correlates with the reference at distance 0, although no element is equal:
  // the shift makes each element larger by 2.
  EXPECT_NEAR(cell(Channel::lags, 24, 31), 1, 1e-6);
  EXPECT_EQ(cell(Channel::lags, 16, 31), 0);
  EXPECT_EQ(feature(Feature::bestLag), 1);
  EXPECT_EQ(feature(Feature::correlation) > 0.99F, true);
}

TEST_F(EvidenceMaps, AShiftByRowsAndByChannels) {
  for (size_t x = 0; x < 8; ++x) {
    at(0, 0, x) = due(0, 3, x); // this element gets the value expected three rows below it
    at(0, 1, x) = due(1, 1, x); // this element gets the value expected in the next channel
  }
  make();
  EXPECT_EQ(cell(Channel::lags, 16, 31 + 3), 0.5F);
  EXPECT_EQ(cell(Channel::lags, 32, 31 + 1), 0.5F);
  EXPECT_EQ(feature(Feature::bestLag), 0.5F);
}

TEST_F(EvidenceMaps, WhatALayerMakesOfRightInputs) {
  at(0, 0, 0) = 2; // the element is 2, although the expected value is 1
  Circumstances known;
  known.isolated = reference;
  make(known);
  const size_t row = evidenceRow(100);
  const float one = static_cast<float>(1 / std::log2(65.0)), others = static_cast<float>(6 / std::log2(65.0));
  EXPECT_EQ(cell(Channel::isolatedByAccumulated, 31, row), one);
  // 63 of 64 elements: log2(1 + 63) / log2(1 + 64)
  EXPECT_NEAR(cell(Channel::isolatedByAccumulated, 31, 31), others, 1e-6);
  EXPECT_EQ(feature(Feature::isolatedKnown), 1);
  EXPECT_EQ(feature(Feature::isolatedDifferent), 0);
  known.isolated = target;
  make(known);
  EXPECT_EQ(cell(Channel::isolatedByAccumulated, row, row), one);
  EXPECT_EQ(feature(Feature::isolatedDifferent), 1.0F / 64);
}

TEST_F(EvidenceMaps, ElementsThatDifferBetweenRuns) {
  Circumstances known;
  Tensor other = target;
  other.mutableAs<float>()[indexOf(0, 3, 0)] = -1;
  known.otherRuns = std::vector{target, other};
  make(known);
  expectOnly(Channel::varyingByImage, 48, 16, 0, 8, oneOfTwo);
  EXPECT_EQ(feature(Feature::varying), 1.0F / 64);
  EXPECT_EQ(feature(Feature::jitterKnown), 1);
  known.otherRuns->back() = Tensor(DType::f32, {1, 2, 8, 4});
  const auto refused = makeEvidence(reference, target, comparison, known);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
}

TEST(EvidenceNames, AreTheirOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < numChannels; ++i)
    EXPECT_TRUE(names.insert(nameOf(static_cast<Channel>(i))).second) << i;
  for (size_t i = 0; i < numFeatures; ++i)
    EXPECT_TRUE(names.insert(nameOf(static_cast<Feature>(i))).second) << i;
  EXPECT_EQ(nameOf(Channel::varyingByImage), "varying_by_image");
  EXPECT_EQ(nameOf(Feature::oneTile), "one_tile");
}

} // namespace
} // namespace tilerig::verify
