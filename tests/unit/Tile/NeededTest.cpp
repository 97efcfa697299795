// Tests which indices of an operand are needed to compute a range of a result. The expected indices are found
// by a loop over the range.
#include "compiler/Tile/Ops/DeviceOp.h"
#include "tests/support/Random.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

int64_t floorOf(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

// The range from the least to the greatest operand index that is read to compute the range `result`, clamped
// to the operand's axis.
Range byDefinition(const AxisMap &map, Range result, int64_t size) {
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (int64_t i = result.begin; i < result.end; ++i)
    for (int64_t tap = map.low; tap <= map.high; ++tap) {
      const int64_t at = floorOf(floorOf(i, map.grain) * map.numerator + map.offset, map.denominator) + tap;
      least = std::min(least, at);
      greatest = std::max(greatest, at);
    }
  const auto drawn = [&](int64_t at) { return std::min(std::max<int64_t>(at, 0), size - 1); };
  if (map.isDrawn)
    return {drawn(least), drawn(greatest) + 1};
  return greatest < 0 || least >= size ? Range{} : Range{drawn(least), drawn(greatest) + 1};
}

TEST(Needed, IsTheHullOfTheDefinition) {
  test::Random random(7);
  for (int trial = 0; trial < 20000; ++trial) {
    AxisMap map{.from = 0};
    map.grain = random.between(1, 3);
    map.numerator = random.between(-3, 4);
    map.denominator = random.between(1, 4);
    map.offset = random.between(-9, 9);
    map.low = random.between(-2, 0);
    map.high = random.between(0, 3);
    map.isDrawn = random.between(0, 1) != 0;
    const int64_t begin = random.between(0, 10), size = random.between(1, 12);
    const Range result{begin, begin + random.between(1, 6)};
    const Range needed = neededRange(map, result, size), wanted = byDefinition(map, result, size);
    if (wanted.empty())
      EXPECT_TRUE(needed.empty());
    else
      EXPECT_EQ(needed, wanted) << "trial " << trial;
  }
}

TEST(Needed, AnAxisThatFollowsNoneIsNeededWhole) {
  DeviceTensor tensor;
  tensor.shape = {4, 9};
  const Operand operand{.tensor = 0, .axes = {AxisMap::along(1), {}}};
  Box result(2);
  result[0] = {0, 1};
  result[1] = {2, 3};
  const Box needed = neededBox(operand, tensor, result);
  EXPECT_EQ(needed[0], (Range{2, 3}));
  EXPECT_EQ(needed[1], (Range{0, 9}));
  EXPECT_TRUE(neededBox(operand, tensor, Box(2)).empty());
}

TEST(Needed, OfWhatIsSummedOverThePartThatIsAddedUp) {
  DeviceTensor tensor;
  tensor.shape = {4, 9, 5};
  const Operand operand{.tensor = 0, .axes = {AxisMap::along(0), AxisMap::summed(), {}}};
  Box result(1);
  result[0] = {1, 3};
  const Box part = neededBox(operand, tensor, result, {3, 7}), all = neededBox(operand, tensor, result);
  EXPECT_EQ(part[1], (Range{3, 7}));
  EXPECT_EQ(part[2], (Range{0, 5}));
  EXPECT_EQ(all[1], (Range{0, 9}));

  DeviceOp deviceOp;
  deviceOp.operands = {operand};
  tensor.type = ElementType::u8;
  EXPECT_EQ(depthOf(deviceOp, {tensor}), 9);
  EXPECT_EQ(sumTypeOf(deviceOp, {tensor}), ElementType::i32);
}

} // namespace
} // namespace tilerig
