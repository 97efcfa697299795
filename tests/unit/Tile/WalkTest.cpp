// Tests of streams over tensors of any rank: they visit the same addresses as nested loops, in the same
// order.
#include "compiler/Tile/Ops/Walk.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

std::vector<uint64_t> addressesOf(const Stream &stream) {
  std::vector<uint64_t> all = {stream.base};
  for (const Dimension &dim : stream.dims) {
    std::vector<uint64_t> next;
    for (const uint64_t base : all)
      for (uint64_t i = 0; i < dim.size; ++i)
        next.push_back(base + i * dim.stride);
    all = std::move(next);
  }
  return all;
}

struct Axis {
  uint64_t size;
  std::vector<uint64_t> strides;
};

std::vector<uint64_t> byLoops(uint64_t base, const std::vector<Axis> &axes, size_t stream) {
  std::vector<uint64_t> all = {base};
  for (const Axis &axis : axes) {
    std::vector<uint64_t> next;
    for (const uint64_t at : all)
      for (uint64_t i = 0; i < axis.size; ++i)
        next.push_back(at + i * axis.strides[stream]);
    all = std::move(next);
  }
  return all;
}

TEST(Walk, VisitsTheAddressesOfNestedLoops) {
  test::Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Axis> axes(static_cast<size_t>(random.between(0, 8)));
    for (Axis &axis : axes)
      axis.size = static_cast<uint64_t>(random.between(1, 3));
    // The strides of two streams: one without gaps, one with gaps and repetitions.
    uint64_t dense = 2;
    for (size_t i = axes.size(); i-- > 0; dense *= axes[i].size)
      axes[i].strides = {dense, static_cast<uint64_t>(random.between(0, 20)) * 2};
    Walk walk({{.box = {}, .type = ElementType::fp16, .address = 64},
               {.box = {}, .type = ElementType::fp16, .address = 1024, .space = Space::ddr}});
    for (const Axis &axis : axes)
      walk.addAxis(axis.size, axis.strides);
    const auto most = static_cast<size_t>(random.between(1, 5));
    std::vector<uint64_t> seen[2];
    walk.forEach(
        [&](const std::vector<Stream> &streams) {
          ASSERT_EQ(streams.size(), 2u);
          EXPECT_EQ(streams[1].space, Space::ddr);
          for (size_t s = 0; s < 2; ++s) {
            for (size_t i = 0; i + most < 5; ++i)
              EXPECT_EQ(streams[s].dims[i].size, 1u);
            const auto addresses = addressesOf(streams[s]);
            seen[s].insert(seen[s].end(), addresses.begin(), addresses.end());
          }
        },
        most);
    EXPECT_EQ(seen[0], byLoops(64, axes, 0));
    EXPECT_EQ(seen[1], byLoops(1024, axes, 1));
  }
}

TEST(Walk, MergesAxesThatAreContiguousInEveryStream) {
  Walk walk({{.box = {}, .type = ElementType::i8}, {.box = {}, .type = ElementType::i8}});
  walk.addAxis(4, {60, 60});
  walk.addAxis(5, {12, 12});
  walk.addAxis(3, {4, 4});
  walk.addAxis(4, {1, 1});
  int instructions = 0;
  walk.forEach([&](const std::vector<Stream> &streams) {
    ++instructions;
    EXPECT_EQ(streams[0].dims[4], (Dimension{240, 1}));
    EXPECT_EQ(streams[0].dims[3].size, 1u);
  });
  EXPECT_EQ(instructions, 1);
}

TEST(View, PartsLieWhereTheirElementsDo) {
  Box box(3), part(3);
  box[0] = {2, 5};
  box[1] = {0, 4};
  box[2] = {10, 16};
  part[0] = {3, 4};
  part[1] = {1, 3};
  part[2] = {12, 13};
  const View view{.box = box, .type = ElementType::fp32, .address = 100};
  EXPECT_EQ(view.strideOf(2), 4u);
  EXPECT_EQ(view.strideOf(0), 4u * 6 * 4);
  EXPECT_EQ(view.addressOf(part), 100u + 96 + 24 + 8);
  EXPECT_EQ(view.sizeInBytes(), 3u * 4 * 6 * 4);
}

} // namespace
} // namespace tilerig
