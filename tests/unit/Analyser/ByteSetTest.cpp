// Property tests of ByteSet (the set of initialised bytes), IntervalIndex and RegionIndex against naive
// containers.

#include "isa/Order/ByteSet.h"
#include "isa/Order/IntervalIndex.h"
#include "isa/Order/RegionIndex.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tilerig {
namespace {

using test::Random;

// Compares a ByteSet with a list that has one flag for each byte, for ranges from one byte to several blocks.
// The ranges lie around the border of two chunks, since a ByteSet keeps its bytes in chunks of 1 MiB.
TEST(ByteSet, EqualsAListOfFlags) {
  constexpr uint64_t origin = (uint64_t{1} << 20) - 40'000, size = 80'000;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    ByteSet set;
    std::vector<bool> flags(size);
    const auto range = [&] {
      const uint64_t begin = random.below(size), length = random.ragged(size - begin);
      return ByteRange{begin, begin + length};
    };
    for (int step = 0; step < 300; ++step) {
      const auto [begin, end] = range();
      if (random.chance(50)) {
        std::fill(flags.begin() + static_cast<long>(begin), flags.begin() + static_cast<long>(end), true);
        set.add(ByteRange{origin + begin, origin + end});
        continue;
      }
      if (random.chance(30)) {
        std::fill(flags.begin() + static_cast<long>(begin), flags.begin() + static_cast<long>(end), false);
        set.remove(Region::ofRun(origin + begin, end - begin));
        continue;
      }
      const auto missing = set.firstMissing(ByteRange{origin + begin, origin + end});
      const auto clear =
          std::find(flags.begin() + static_cast<long>(begin), flags.begin() + static_cast<long>(end), false);
      const auto first = static_cast<uint64_t>(clear - flags.begin());
      ASSERT_EQ(missing.has_value(), first < end) << "seed " << seed << " step " << step;
      if (missing) {
        ASSERT_EQ(missing->begin, origin + first);
        const auto set_ = std::find(clear, flags.begin() + static_cast<long>(end), true);
        ASSERT_EQ(missing->end, origin + static_cast<uint64_t>(set_ - flags.begin()));
      }
    }
  }
}

TEST(ByteSet, StridedRegions) {
  std::vector<Region> slices;
  for (uint64_t slice = 0; slice < 4; ++slice)
    appendRegions(64 + 16 * slice, 1, std::vector<Steps>{{64, 300}, {1, 16}}, slices);
  ByteSet set;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(set.firstMissing(slices[i]));
    EXPECT_TRUE(set.firstMissing(ByteRange{64, 64 + 64 * 300}));
    set.add(slices[i]);
    EXPECT_FALSE(set.firstMissing(slices[i]));
  }
  EXPECT_FALSE(set.firstMissing(ByteRange{64, 64 + 64 * 300}));
  EXPECT_EQ(set.firstMissing(ByteRange{0, 128}), (ByteRange{0, 64}));
}

TEST(ByteSet, WholeChunksAndBeyond) {
  ByteSet set;
  set.add(ByteRange{100, uint64_t{5} << 20});
  EXPECT_TRUE(set.contains({100, uint64_t{5} << 20}));
  EXPECT_EQ(set.firstMissing(ByteRange{0, 200}), (ByteRange{0, 100}));
  EXPECT_EQ(set.firstMissing(ByteRange{200, uint64_t{6} << 20}),
            (ByteRange{uint64_t{5} << 20, uint64_t{6} << 20}));
  // The set keeps its bytes in chunks of 1 MiB. The removed region is the end of one full chunk and all of
  // the next chunk.
  set.remove(Region::ofRun((uint64_t{2} << 20) - 3, (uint64_t{1} << 20) + 3));
  EXPECT_EQ(set.firstMissing(ByteRange{200, uint64_t{5} << 20}),
            (ByteRange{(uint64_t{2} << 20) - 3, uint64_t{3} << 20}));
}

TEST(IntervalIndex, EqualsAList) {
  for (uint64_t seed = 0; seed < 210; ++seed) {
    Random random(seed);
    IntervalIndex<int> index;
    std::map<int, ByteRange> list;
    // For the last seeds, the index holds more intervals than fit in one of its chunks.
    const bool isLong = seed >= 200;
    for (int step = 0; step < (isLong ? 3000 : 200); ++step) {
      const uint64_t begin = random.below(3000);
      const ByteRange range{begin, begin + random.ragged(2000)};
      if (random.chance(isLong ? 98 : 60)) {
        index.insert(range, step);
        list[step] = range;
        continue;
      }
      // visitOverlapping visits exactly the overlapping intervals and removes those for which the callback
      // returns true.
      std::map<int, ByteRange> visited, expected;
      index.visitOverlapping(range, [&](ByteRange at, int value) {
        visited[value] = at;
        return value % 3 == 0;
      });
      for (const auto &[value, at] : list)
        if (at.begin < range.end && range.begin < at.end)
          expected[value] = at;
      ASSERT_EQ(visited, expected) << "seed " << seed << " step " << step;
      std::erase_if(
          list, [&](const auto &entry) { return expected.contains(entry.first) && entry.first % 3 == 0; });
      ASSERT_EQ(index.size(), list.size());
    }
    index.removeIf([](ByteRange, int value) { return value % 2 == 0; });
    std::erase_if(list, [](const auto &entry) { return entry.first % 2 == 0; });
    std::map<int, ByteRange> rest;
    std::as_const(index).visitOverlapping({0, 10000}, [&](ByteRange at, int value) { rest[value] = at; });
    EXPECT_EQ(rest, list);
  }
}

// Strided regions of a few shapes at many places, as in real programs, so that the same query is repeated
// often.
Region randomSlice(Random &random) {
  const uint64_t stride = random.pick({16u, 24u, 32u}), run = random.pick({4u, 8u, 16u});
  const std::array dims = {Steps{20 * stride, 1 + random.below(3)}, Steps{stride, 1 + random.below(8)}};
  std::vector<Region> regions;
  appendRegions(4 * random.below(300), run, dims, regions);
  EXPECT_EQ(regions.size(), 1u);
  return regions[0];
}
std::set<uint64_t> bytesOf(const Region &region) {
  std::set<uint64_t> bytes;
  forEachRun(region, [&](ByteRange range) {
    for (uint64_t byte = range.begin; byte < range.end; ++byte)
      bytes.insert(byte);
    return true;
  });
  return bytes;
}
bool shareAny(const std::set<uint64_t> &a, const std::set<uint64_t> &b) {
  return std::ranges::any_of(a, [&](uint64_t byte) { return b.contains(byte); });
}

TEST(RegionIndex, EqualsAList) {
  // All seeds share one table of region shapes. What one seed has stored there must stay valid for the next.
  RegionShapes shapes;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    RegionIndex<int> index;
    std::map<int, std::pair<Region, std::set<uint64_t>>> list;
    for (int step = 0; step < 150; ++step) {
      const Region region = randomSlice(random);
      const std::set<uint64_t> bytes = bytesOf(region);
      const ShapedRegion shaped(region, shapes);
      const bool known =
          std::ranges::any_of(list, [&](const auto &entry) { return entry.second.first == region; });
      ASSERT_EQ(index.find(shaped) != nullptr, known);
      if (random.chance(60)) {
        index.insert(shaped, step);
        list[step] = {region, bytes};
        continue;
      }
      std::set<int> visited, expected;
      index.visit(shaped, shapes, [&](int value, ByteRange bounds, RegionShapes::Shape shape) {
        visited.insert(value);
        EXPECT_TRUE(shapes.at(bounds, shape) == list.at(value).first);
      });
      for (const auto &[value, entry] : list)
        if (shareAny(entry.second, bytes))
          expected.insert(value);
      ASSERT_EQ(visited, expected) << "seed " << seed << " step " << step;
      if (random.chance(30)) {
        index.removeOverlapping(shaped, shapes);
        std::erase_if(list, [&](const auto &entry) { return expected.contains(entry.first); });
      } else if (random.chance(30)) {
        index.removeCovered(shaped, shapes);
        std::erase_if(list, [&](const auto &entry) { return covers(region, entry.second.first); });
      }
      ASSERT_EQ(index.size(), list.size());
    }
  }
}

} // namespace
} // namespace tilerig
