// Tests of the list of channels, rows and columns that contain wrong elements.
#include "verify/Evidence/Concerned.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

Concerned concernedBy(const Shape &shape, const std::vector<size_t> &wrong, float value,
                      bool everyDifference) {
  Tensor reference(DType::f32, shape);
  std::ranges::fill(reference.mutableAs<float>(), 4.f);
  Tensor target = reference;
  for (size_t index : wrong)
    target.mutableAs<float>()[index] = value;
  return *findConcerned(reference, target, compareTensors(reference, target), everyDifference);
}

TEST(Concerned, NeighboursAreOneRange) {
  // Wrong elements in channels 0, 1 and 3 of 4, row 2 of 3, and columns 0 and 4 of 5.
  const Concerned concerned = concernedBy({1, 4, 3, 5}, {10, 15 + 14, 45 + 10}, 5, false);
  EXPECT_EQ(concerned.elements, 3u);
  EXPECT_EQ(concerned.channels.ranges, (std::vector<IndexRange>{{0, 1}, {3, 3}}));
  EXPECT_EQ(concerned.rows.ranges, (std::vector<IndexRange>{{2, 2}}));
  EXPECT_EQ(concerned.columns.ranges, (std::vector<IndexRange>{{0, 0}, {4, 4}}));
  EXPECT_EQ(inWords(concerned), "3 elements; channels 0-1, 3 of 4; rows 2 of 3; columns 0, 4 of 5");
}

// An element with an error of 1 % is within the limits, so it counts as wrong only in a comparison of every
// bit.
TEST(Concerned, LimitsExcuseUnlessEveryDifferenceCounts) {
  EXPECT_EQ(concernedBy({1, 4, 3, 5}, {7}, 4.04f, false).elements, 0u);
  EXPECT_EQ(concernedBy({1, 4, 3, 5}, {7}, 4.04f, true).elements, 1u);
}

TEST(Concerned, MatricesHaveChannelsOnly) {
  const Concerned concerned = concernedBy({2, 5}, {3, 8}, 5, false);
  EXPECT_EQ(inWords(concerned), "2 elements; channels 3 of 5");
}

TEST(Concerned, ManyRangesAreCutAndCounted) {
  std::vector<size_t> even;
  for (size_t i = 0; i < 20; i += 2)
    even.push_back(i);
  EXPECT_EQ(inWords(concernedBy({20}, even, 5, false)),
            "10 elements; channels 0, 2, 4, 6, 8, 10, ... (10 indices) of 20");
}

} // namespace
} // namespace tilerig::verify
