// Tests of the bytes that instructions access, against naive loops over all elements.

#include "isa/Instructions/Access.h"
#include "isa/Instructions/Check.h"
#include "isa/Machine/Machine.h"
#include "tests/support/Effort.h"
#include "tests/support/PlainAccess.h"
#include "tests/support/RandomInstruction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilerig {
namespace {

using test::PlainAccesses;
using test::Random;

// The accesses as lists of bytes, comparable with PlainAccesses. Written bytes must not repeat.
PlainAccesses bytesOf(const AccessList &accesses) {
  PlainAccesses bytes;
  for (const Access &access : accesses) {
    auto &list = bytes[{static_cast<int>(access.memory), access.kind == AccessKind::write,
                        std::string(access.operand)}];
    forEachRun(access.region, [&](ByteRange run) {
      for (uint64_t at = run.begin; at < run.end; ++at)
        list.push_back(at);
      return true;
    });
  }
  for (auto &[operand, list] : bytes) {
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    EXPECT_TRUE(!operand.write || repeated.empty()) << operand.name << " is written twice";
    list.erase(repeated.begin(), list.end());
  }
  return bytes;
}

void expectSame(const Instruction &instruction, unsigned tile, const std::string &label) {
  AccessList accesses;
  appendAccesses(instruction, tile, accesses);
  ASSERT_EQ(bytesOf(accesses), test::plainAccesses(instruction, tile))
      << label << " (" << mnemonicOf(instruction) << ")";
}

TEST(Access, EqualsPlainLoopsOnRandomInstructions) {
  Machine machine = *loadMachine("tiny");
  forEachInstructionType([&]<class T>() {
    const auto count = static_cast<int>(numWords<T> > 1 ? test::rounds(1500) : 10);
    for (int seed = 0; seed < count; ++seed) {
      Random random(static_cast<uint64_t>(seed) * 131 + static_cast<uint64_t>(T::opcode));
      const test::Site site{.machine = machine,
                            .tile = static_cast<unsigned>(random.below(4)),
                            .tiles = 4,
                            .maxElements = static_cast<uint32_t>(100 + random.ragged(400))};
      const T instruction = test::randomOf<T>(random, site);
      expectSame(instruction, site.tile, "seed " + std::to_string(seed));
      if (testing::Test::HasFatalFailure())
        return;
    }
  });
}

Stream image(uint64_t base, uint32_t rows, uint32_t columns, uint32_t channels) {
  return {.space = Space::ocm,
          .type = ElementType::u8,
          .base = base,
          .dims = {{{1, 0}, {1, 0}, {rows, columns * channels}, {columns, channels}, {channels, 1}}}};
}

// Windows of every small shape access exactly the bytes they reach: strides smaller and larger than the
// kernel, dilation, and padding that contains whole windows.
TEST(Access, WindowsTouchWhatTheyReach) {
  for (uint16_t stride = 1; stride <= 5; ++stride)
    for (uint16_t dilation = 1; dilation <= 4; ++dilation)
      for (uint16_t pad = 0; pad <= 7; pad += 1)
        for (uint16_t kernel = 1; kernel <= 4; ++kernel)
          for (uint32_t outputs = 1; outputs <= 6; outputs += 1)
            for (uint32_t rows : {1u, 2u, 5u, 11u}) {
              Pool pool;
              pool.kernelH = kernel;
              pool.window = {.strideH = stride, .dilationH = dilation, .padTop = pad};
              pool.input = image(0, rows, 1, 1);
              pool.output = image(4096, outputs, 1, 1);
              expectSame(pool, 0,
                         fmt::format("stride {} dilation {} pad {} kernel {} outputs {} rows {}", stride,
                                     dilation, pad, kernel, outputs, rows));
              if (HasFatalFailure())
                return;
            }
}

// Each operand without gaps is reported as a single run of bytes. Most operands have no gaps; reports and
// other code rely on single runs for them.
TEST(Access, DenseOperandsAreSingleRuns) {
  Conv conv;
  conv.window = {.padTop = 1, .padLeft = 1};
  conv.input = image(0, 8, 8, 16);
  conv.weights = {.space = Space::ocm,
                  .type = ElementType::i8,
                  .base = 2048,
                  .dims = {{{1, 0}, {4, 144}, {3, 48}, {3, 16}, {16, 1}}}};
  conv.output = image(8192, 8, 8, 4);
  AccessList accesses;
  appendAccesses(conv, 2, accesses);
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_EQ(accesses[0].region, Region::ofRun(0, 1024));
  EXPECT_EQ(accesses[1].region, Region::ofRun(2048, 576));
  EXPECT_EQ(accesses[2].region, Region::ofRun(8192, 256));
  EXPECT_EQ(accesses[2].memory, ocmOf(2));
  EXPECT_EQ(accesses[2].operand, "output");
}

// A 1x1 kernel with stride 2 reads every second pixel of every second row and nothing in between.
TEST(Access, StrideAboveTheKernelSkips) {
  Conv conv;
  conv.window = {.strideH = 2, .strideW = 2};
  conv.input = image(0, 7, 7, 4);
  conv.weights = {.space = Space::ocm,
                  .type = ElementType::i8,
                  .base = 512,
                  .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {4, 1}}}};
  conv.output = image(1024, 4, 4, 1);
  AccessList accesses;
  appendAccesses(conv, 0, accesses);
  ASSERT_EQ(accesses[0].operand, "input");
  EXPECT_EQ(accesses[0].region.sizeBytes(), 4u * 4 * 4);
  EXPECT_EQ(accesses[0].region.rank, 2u);
}

TEST(Access, MulticastWritesInEveryTileOfItsSet) {
  Multicast multicast;
  multicast.tiles = 0b1010;
  multicast.source = {.space = Space::ddr,
                      .type = ElementType::u8,
                      .base = 64,
                      .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {8, 1}}}};
  multicast.destination = multicast.source;
  multicast.destination.space = Space::ocm;
  AccessList accesses;
  appendAccesses(multicast, 0, accesses);
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_EQ(accesses[0].memory, ddrMemory);
  EXPECT_EQ(accesses[1].memory, ocmOf(1));
  EXPECT_EQ(accesses[2].memory, ocmOf(3));
}

} // namespace
} // namespace tilerig
