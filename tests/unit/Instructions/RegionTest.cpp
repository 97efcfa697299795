// Tests of byte regions (strided sets of bytes) against plain sets of bytes.

#include "isa/Instructions/Region.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig {
namespace {

using test::Random;
using Bytes = std::set<uint64_t>;

Bytes plainBytes(uint64_t begin, unsigned elementBytes, std::span<const Steps> dims) {
  if (dims.empty()) {
    Bytes bytes;
    for (unsigned i = 0; i < elementBytes; ++i)
      bytes.insert(begin + i);
    return bytes;
  }
  Bytes bytes;
  for (uint64_t i = 0; i < dims[0].count; ++i)
    bytes.merge(plainBytes(begin + i * dims[0].stride, elementBytes, dims.subspan(1)));
  return bytes;
}

Bytes bytesOf(const Region &region, ByteRange within) {
  Bytes bytes;
  uint64_t last = 0;
  forEachRun(region, within, [&](ByteRange run) {
    EXPECT_TRUE(bytes.empty() || run.begin >= last) << "runs ascend";
    EXPECT_LT(run.begin, run.end);
    last = run.end;
    for (uint64_t at = run.begin; at < run.end; ++at)
      bytes.insert(at);
    return true;
  });
  return bytes;
}
Bytes bytesOf(const Region &region) { return bytesOf(region, region.bounds()); }

std::vector<Steps> randomDims(Random &random, unsigned most) {
  std::vector<Steps> dims(random.below(most + 1));
  for (Steps &dim : dims)
    dim = {random.below(60), 1 + random.below(5)};
  return dims;
}

// A region whose dimensions have arbitrary strides, so that elements may repeat, overlap or interleave, holds
// exactly the bytes that nested loops over the dimensions visit.
TEST(Region, AnyStridesGiveExactlyTheirBytes) {
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    const auto dims = randomDims(random, 4);
    const uint64_t begin = random.below(50);
    const unsigned element = random.pick({1u, 2u, 4u});
    std::vector<Region> regions;
    appendRegions(begin, element, dims, regions);
    Bytes bytes;
    for (const Region &region : regions) {
      const Bytes part = bytesOf(region);
      EXPECT_EQ(part.size(), region.sizeBytes()) << "seed " << seed;
      EXPECT_EQ(*part.begin(), region.begin);
      EXPECT_EQ(*part.rbegin() + 1, region.end);
      bytes.insert(part.begin(), part.end());
    }
    ASSERT_EQ(bytes, plainBytes(begin, element, dims)) << "seed " << seed;
  }
}

// A random region of nested dimensions in any order, as the streams of programs have them.
Region randomRegion(Random &random) {
  std::vector<Steps> dims(random.below(4));
  const unsigned element = random.pick({1u, 2u, 4u});
  uint64_t extent = element;
  for (Steps &dim : dims) {
    dim = {extent + (random.chance(50) ? random.below(8) : 0), 1 + random.below(4)};
    extent += (dim.count - 1) * dim.stride;
  }
  random.shuffle(dims);
  std::vector<Region> regions;
  appendRegions(random.below(64), element, dims, regions);
  EXPECT_EQ(regions.size(), 1u);
  return regions[0];
}

TEST(Region, OverlapIsExact) {
  size_t apart = 0, interleaved = 0;
  for (uint64_t seed = 0; seed < 40000; ++seed) {
    Random random(seed);
    const Region a = randomRegion(random);
    Region b = random.chance(40) ? a : randomRegion(random);
    // Shifts region b in memory. Two regions of the same shape then lie like adjacent slices of channels.
    const uint64_t shift = random.below(40);
    b.begin += shift, b.end += shift;
    const Bytes inA = bytesOf(a), inB = bytesOf(b);
    Bytes both;
    std::ranges::set_intersection(inA, inB, std::inserter(both, both.end()));
    ASSERT_EQ(overlap(a, b), !both.empty()) << "seed " << seed;
    ASSERT_EQ(overlap(b, a), !both.empty()) << "seed " << seed;
    apart += both.empty();
    interleaved += both.empty() && a.begin < b.end && b.begin < a.end;
    const auto first = firstOverlap(a, b);
    ASSERT_EQ(first.has_value(), !both.empty());
    if (first) {
      ASSERT_EQ(first->begin, *both.begin()) << "seed " << seed;
      for (uint64_t at = first->begin; at < first->end; ++at)
        ASSERT_TRUE(both.contains(at)) << "seed " << seed;
    }
    ASSERT_TRUE(!covers(a, b) || std::ranges::includes(inA, inB)) << "seed " << seed;
  }
  EXPECT_GT(apart, 2000u); // many of the random pairs of regions are disjoint, and many of these interleave
  EXPECT_GT(interleaved, 1000u);
}

// The bytes of some channels of a box of pixels. The image has 14 x 14 pixels of 512 bytes.
Region slice(uint64_t row, uint64_t column, uint64_t rows, uint64_t columns, uint64_t channels) {
  const Steps dims[] = {{14 * 512, rows}, {512, columns}};
  Region region;
  EXPECT_TRUE(detail::makeRegion(row * 14 * 512 + column * 512, channels, dims, region));
  return region;
}

TEST(Region, WindowsCoverTheSlicesInThem) {
  const Region window = slice(2, 3, 8, 9, 512);
  EXPECT_TRUE(covers(window, slice(2, 3, 8, 9, 4)));
  EXPECT_TRUE(covers(window, slice(3, 4, 7, 7, 4)));
  EXPECT_TRUE(covers(window, slice(9, 11, 1, 1, 512)));
  EXPECT_FALSE(covers(window, slice(3, 4, 8, 7, 4))); // this slice ends one row below the window
  EXPECT_FALSE(covers(window, slice(3, 6, 7, 7, 4))); // this slice ends one column right of the window
  EXPECT_FALSE(covers(window, slice(1, 4, 7, 7, 4))); // this slice begins one row above the window
  EXPECT_FALSE(covers(window, slice(3, 2, 7, 7, 4)));
  EXPECT_FALSE(covers(slice(2, 3, 8, 9, 256), slice(3, 4, 7, 7, 512)));
}

TEST(Region, RunsAreClippedToTheRangeAskedFor) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    const Region region = randomRegion(random);
    const uint64_t low = random.below(120), high = low + 1 + random.below(60);
    Bytes expected;
    for (uint64_t at : bytesOf(region))
      if (at >= low && at < high)
        expected.insert(at);
    ASSERT_EQ(bytesOf(region, {low, high}), expected) << "seed " << seed;
  }
}

TEST(Region, CanonicalFormsOfCommonTensors) {
  const auto of = [](uint64_t element, std::vector<Steps> dims) {
    std::vector<Region> regions;
    appendRegions(0, element, dims, regions);
    EXPECT_EQ(regions.size(), 1u);
    return regions.at(0);
  };
  EXPECT_EQ(of(2, {{32, 4}, {8, 4}, {2, 4}}), Region::ofRun(0, 128)); // dense
  EXPECT_EQ(of(2, {{8, 4}, {2, 4}, {32, 4}}), Region::ofRun(0, 128)); // transposed
  EXPECT_EQ(of(1, {{0, 9}, {1, 16}}), Region::ofRun(0, 16));          // broadcast
  // 16 of the 64 channels (one byte each) of 8 pixels are a region with a single dimension.
  EXPECT_EQ(of(1, {{64, 8}, {1, 16}}).rank, 1u);
  // 4 evenly spaced rows of 8 pixels merge into one dimension of 32 pixels.
  EXPECT_EQ(of(1, {{512, 4}, {64, 8}, {1, 16}}), of(1, {{64, 32}, {1, 16}}));
  EXPECT_EQ(of(1, {{16, 6}, {16, 3}, {1, 16}}), Region::ofRun(0, 8 * 16)); // overlapping windows
}

// Interleaved regions whose extent is too large for a map of bytes are split into several regions, which hold
// exactly the same bytes.
TEST(Region, InterlockingOverALargeExtent) {
  std::vector<Region> regions;
  const std::vector<Steps> dims = {{uint64_t{1} << 27, 2}, {(uint64_t{1} << 27) - 2, 2}};
  appendRegions(0, 4, dims, regions);
  Bytes bytes;
  for (const Region &region : regions)
    bytes.merge(bytesOf(region));
  EXPECT_EQ(bytes, plainBytes(0, 4, dims));
}

} // namespace
} // namespace tilerig
