// Tests of splitting a result into parts, and a part into the steps in which a tile computes it. Every index
// occurs once, in order; groups of indices that belong together are kept whole or are split internally.
#include "compiler/Tile/Ops/Split.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// Expects the parts to be ranges that follow each other from the begin to the end of the range `whole`.
void expectPartition(const std::vector<Range> &parts, Range whole, int64_t groupSize) {
  int64_t at = whole.begin;
  for (const Range &part : parts) {
    EXPECT_EQ(part.begin, at);
    EXPECT_GT(part.size(), 0);
    const bool wholeGroups = (part.begin - whole.begin) % groupSize == 0 && part.size() % groupSize == 0;
    const bool insideOne = (part.begin - whole.begin) / groupSize == (part.end - 1 - whole.begin) / groupSize;
    EXPECT_TRUE(wholeGroups || insideOne) << part.begin << ".." << part.end << " in groups of " << groupSize;
    at = part.end;
  }
  EXPECT_EQ(at, whole.end);
}

TEST(Split, PartsCoverAnAxis) {
  for (const int64_t groupSize : {1, 2, 3, 4, 8})
    for (int64_t groups = 1; groups <= 9; ++groups)
      for (int64_t count = 1; count <= groups * groupSize; ++count) {
        const int64_t size = groups * groupSize;
        if (!canHaveParts(size, count, groupSize))
          continue;
        std::vector<Range> parts;
        for (int64_t i = 0; i < count; ++i)
          parts.push_back(partOf(size, count, i, groupSize));
        SCOPED_TRACE(testing::Message() << count << " parts of " << size);
        expectPartition(parts, {0, size}, groupSize);
      }
}

TEST(Split, SharesAreAsEqualAsCanBe) {
  for (int64_t size = 1; size <= 40; ++size)
    for (int64_t count = 1; count <= size; ++count)
      for (int64_t i = 0; i < count; ++i) {
        const int64_t length = partOf(size, count, i, 1).size();
        EXPECT_TRUE(length == size / count || length == size / count + 1);
      }
}

TEST(Split, RangesAreCutIntoNoMorePartsThanTheyHave) {
  for (int64_t begin : {0, 5})
    for (int64_t size = 1; size <= 12; ++size)
      for (int64_t parts = 1; parts <= 20; ++parts) {
        const std::vector<Range> cut = cutRange({begin, begin + size}, parts, 1);
        EXPECT_EQ(static_cast<int64_t>(cut.size()), std::min(parts, size));
        expectPartition(cut, {begin, begin + size}, 1);
      }
  // Groups of indices are kept whole if there are at least as many groups as parts; with more parts, each
  // group is split.
  expectPartition(cutRange({8, 24}, 2, 4), {8, 24}, 4);
  expectPartition(cutRange({8, 24}, 6, 4), {8, 24}, 4);
  // A range of indices inside one group is split without regard to groups.
  expectPartition(cutRange({9, 12}, 2, 4), {9, 12}, 4);
}

TEST(Split, BoxesShareTheResultAmongTiles) {
  DeviceOp deviceOp;
  deviceOp.divisible = {true, true, false};
  deviceOp.groupSize = {1, 1, 1};
  const std::vector<int64_t> shape = {3, 7, 2};
  constexpr unsigned tiles = 12;
  for (const Split &split : possibleSplits(deviceOp, shape, tiles)) {
    EXPECT_EQ(split.parts[2], 1);
    ASSERT_LE(split.tiles(), tiles);
    const std::vector<Box> boxes = boxesOf(split, deviceOp, shape, tiles);
    ASSERT_EQ(boxes.size(), tiles);
    std::vector<int> owners(3 * 7 * 2);
    for (unsigned tile = 0; tile < tiles; ++tile) {
      EXPECT_EQ(boxes[tile].empty(), tile >= split.tiles());
      for (int64_t i = boxes[tile][0].begin; i < boxes[tile][0].end; ++i)
        for (int64_t j = boxes[tile][1].begin; j < boxes[tile][1].end; ++j)
          for (int64_t k = boxes[tile][2].begin; k < boxes[tile][2].end; ++k)
            ++owners[static_cast<size_t>((i * 7 + j) * 2 + k)];
    }
    EXPECT_EQ(std::ranges::count(owners, 1), static_cast<long>(owners.size()));
  }
}

TEST(Split, BandsHaveTheSamePartsInAnotherOrder) {
  DeviceOp deviceOp;
  deviceOp.divisible = {true, true, true};
  deviceOp.groupSize = {1, 1, 1};
  const std::vector<int64_t> shape = {2, 4, 8};
  constexpr unsigned tiles = 64;
  for (const int64_t band : {1, 2, 4}) {
    const Split whole{{2, 4, 8}}, banded{{2, 4, 8}, band};
    const std::vector<Box> boxes = boxesOf(banded, deviceOp, shape, tiles);
    for (const Box &box : boxesOf(whole, deviceOp, shape, tiles))
      EXPECT_EQ(std::ranges::count(boxes, box), 1);
    // Tiles are numbered band by band. A band is a number of parts of the last axis (1, 2 or 4), each of 2 x
    // 4 boxes.
    for (unsigned tile = 0; tile < tiles; ++tile)
      EXPECT_EQ(boxes[tile][2].begin / band, tile / (8 * band));
  }
}

TEST(Split, TheLastBoxIsHalved) {
  Box share(2);
  share[0] = {10, 110};
  share[1] = {0, 3};
  std::vector<Box> boxes = {share};
  halveLast(boxes, 0, 5);
  std::vector<Range> rows;
  for (const Box &box : boxes) {
    EXPECT_EQ(box[1], share[1]);
    rows.push_back(box[0]);
  }
  expectPartition(rows, share[0], 1);
  // Splitting a range of 100 rows gives 64, 32 and the remaining 4; ranges below 32 rows are not split.
  const std::vector<Range> wanted = {{10, 74}, {74, 106}, {106, 110}};
  EXPECT_EQ(rows, wanted);
}

TEST(Split, StepsCoverAShare) {
  DeviceOp deviceOp;
  deviceOp.groupSize = {1, 1};
  Box share(2);
  share[0] = {2, 9};
  share[1] = {1, 4};
  const std::vector<int64_t> cuts = {3, 2};
  uint64_t elements = 0;
  for (const Box &step : stepsOf(share, cuts, deviceOp)) {
    EXPECT_TRUE(share.contains(step));
    elements += step.elements();
  }
  EXPECT_EQ(elements, share.elements());
  EXPECT_TRUE(stepsOf(Box(2), cuts, deviceOp).empty());
}

struct UnequalParts : testing::Test {
  DeviceOp deviceOp;
  std::vector<int64_t> shape = {1, 22, 6, 8};
  UnequalParts() {
    deviceOp.divisible = {true, true, false, true};
    deviceOp.groupSize = {1, 1, 1, 4};
  }
  std::string why(std::vector<int64_t> parts, std::vector<std::vector<int64_t>> sizes = {}) const {
    return whyNotParts(parts, sizes, deviceOp, shape, 8);
  }
};

TEST_F(UnequalParts, GoToTilesInOrder) {
  const Split split{.parts = {1, 3, 1, 2}, .sizes = {{}, {3, 3, 16}, {}, {}}};
  EXPECT_EQ(why(split.parts, split.sizes), "");
  const std::vector<Box> boxes = boxesOf(split, deviceOp, shape, 8);
  const std::vector<Range> rows = {{0, 3}, {3, 6}, {6, 22}};
  for (size_t tile = 0; tile < 6; ++tile) {
    // Consecutive tiles take the two parts of the last axis in turn, so two tiles have the same rows.
    EXPECT_EQ(boxes[tile][1], rows[tile / 2]) << tile;
    EXPECT_EQ(boxes[tile][3].size(), 4) << tile;
  }
  EXPECT_TRUE(boxes[6].empty());
}

TEST_F(UnequalParts, AreRefusedWithTheReason) {
  const auto has = [](const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), text.npos) << text;
  };
  EXPECT_EQ(why({1, 7, 1, 1}), ""); // any number of parts is allowed, not only those that the search tries
  has(why({1, 2, 1}), "4 axes");
  has(why({1, 23, 1, 1}), "22 indices");
  has(why({1, 0, 1, 1}), "22 indices");
  has(why({1, 5, 1, 2}), "8 tiles");
  has(why({1, 1, 2, 1}), "axis 2");
  has(why({1, 1, 1, 3}), "groups of 4");
  has(why({1, 2, 1, 1}, {{}, {15, 7}}), "4 axes");
  has(why({1, 3, 1, 1}, {{}, {15, 7}, {}, {}}), "2 sizes for the 3 parts");
  has(why({1, 2, 1, 1}, {{}, {15, 8}, {}, {}}), "add up to 22");
  has(why({1, 2, 1, 1}, {{}, {15, 6}, {}, {}}), "add up to 21");
  has(why({1, 2, 1, 1}, {{}, {22, 0}, {}, {}}), "at least 1");
  has(why({1, 2, 1, 1}, {{}, {INT64_MAX, INT64_MAX}, {}, {}}), "add up to 22");
  has(why({1, 1, 1, 2}, {{}, {}, {}, {3, 5}}), "whole groups of 4");
  has(why({1, 1, 2, 1}, {{}, {}, {2, 4}, {}}), "axis 2");
}

} // namespace
} // namespace tilerig
