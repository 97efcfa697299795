// Tests of the error map, which shows where in a tensor errors lie.
#include "verify/Evidence/ErrorMap.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

ErrorMap mapOf(const Tensor &reference, const Tensor &target) {
  return *makeErrorMap(reference, target, compareTensors(reference, target));
}

TEST(ErrorMap, LevelsArePowersOfTwoOfTheLargest) {
  EXPECT_EQ(levelOf(0, 8), 0);
  // the largest reference element is 8; the error is at least 8 and less than 16
  EXPECT_EQ(levelOf(8, 8), 31);
  // the largest reference element is 8; the errors are at least 4 and less than 8
  EXPECT_EQ(levelOf(7.99, 8), 30);
  EXPECT_EQ(levelOf(4, 8), 30);
  EXPECT_EQ(levelOf(3.99, 8), 29);
  EXPECT_EQ(levelOf(1e-30, 8), 1);
  EXPECT_EQ(levelOf(1e30, 8), highestLevel);
  EXPECT_EQ(asLetters({0, 9, 10, highestLevel, notFiniteLevel}), "09ayz");
}

TEST(ErrorMap, OneErrorIsWhereItIs) {
  Tensor reference(DType::f32, {2, 3, 5, 7});
  std::ranges::fill(reference.mutableAs<float>(), 4.f);
  Tensor target = reference;
  // An error of 1, a quarter of the largest reference element.
  target.mutableAs<float>()[((1 * 3 + 2) * 5 + 3) * 7 + 6] = 5;
  const ErrorMap map = mapOf(reference, target);
  EXPECT_EQ(map.height, 5u);
  EXPECT_EQ(map.width, 7u);
  ASSERT_EQ(map.levels.size(), 35u);
  for (size_t cell = 0; cell < 35; ++cell)
    EXPECT_EQ(map.levels[cell], cell == 3 * 7 + 6 ? 29 : 0) << cell;
  EXPECT_EQ(map.barLevels, (std::vector<Level>{0, 0, 29}));
  EXPECT_EQ(map.failed, (std::vector<uint64_t>{0, 0, 1}));
  EXPECT_EQ(map.meanError, (std::vector<double>{0, 0, 0.25 / 70}));
}

TEST(ErrorMap, LargeImagesAndManyChannelsAreJoined) {
  Tensor reference(DType::f32, {1, 300, 1, 130});
  std::ranges::fill(reference.mutableAs<float>(), 1.f);
  Tensor target = reference;
  target.mutableAs<float>()[299 * 130 + 129] = 2;
  const ErrorMap map = mapOf(reference, target);
  EXPECT_EQ(map.rows, 1u);
  EXPECT_EQ(map.columns, mostMapCells);
  EXPECT_EQ(map.levels.back(), 31);
  EXPECT_EQ(std::ranges::count(map.levels, 0), 63);
  EXPECT_EQ(map.bars, mostBars);
  EXPECT_EQ(map.barLevels.back(), 31);
  EXPECT_EQ(std::ranges::count(map.barLevels, 0), 127);
}

TEST(ErrorMap, WhatIsNotFiniteStandsOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto reference = Tensor::of<float>({4}, {1, nan, nan, 2}),
             target = Tensor::of<float>({4}, {nan, nan, 3, 2});
  const ErrorMap map = mapOf(reference, target);
  EXPECT_EQ(map.levels, (std::vector<Level>{notFiniteLevel, 0, notFiniteLevel, 0}));
  EXPECT_EQ(map.barLevels, map.levels); // the single axis is both the axis of channels and the width
}

TEST(ErrorMap, AxesBeforeTheLastAreTheHeight) {
  Tensor reference(DType::f32, {1, 2, 3, 4, 5}), target = reference;
  target.mutableAs<float>()[(1 * 4 + 2) * 5 + 3] = 1; // the element at channel 0, depth 1, row 2, column 3
  const ErrorMap map = mapOf(reference, target);
  EXPECT_EQ(map.height, 12u);
  EXPECT_EQ(map.width, 5u);
  for (size_t cell = 0; cell < 60; ++cell)
    EXPECT_EQ(map.levels[cell] > 0, cell == (1 * 4 + 2) * 5 + 3) << cell;
}

} // namespace
} // namespace tilerig::verify
