// Tests of the use of oneDNN: which products are passed to it, and in how many parts.
#include "emulator/Execute/Pod/OneDnn.h"
#include "emulator/Execute/Pod/ByteWeights.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Vectors.h"
#include "tests/support/Random.h"
#include "tests/unit/Emulator/PlainPlaces.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tilerig {
using namespace emulator;
namespace {

using test::PlainMachine;
using test::PlainPlaces;
using test::Random;

TEST(EightBitKernels, FollowTheHostUnlessTheEnvironmentAsks) {
  using enum EightBitKernels;
  EXPECT_EQ(*chooseEightBitKernels(nullptr, "avx512", true), oneDnn);
  EXPECT_EQ(*chooseEightBitKernels(nullptr, "avx512", false), own);
  EXPECT_EQ(*chooseEightBitKernels(nullptr, "avx2", true), own);
  EXPECT_EQ(*chooseEightBitKernels(nullptr, "baseline", true), own);
  for (const std::string_view vectors : {"avx512", "avx2", "baseline"})
    for (const bool exact : {false, true}) {
      EXPECT_EQ(*chooseEightBitKernels("own", vectors, exact), own);
      EXPECT_EQ(*chooseEightBitKernels("onednn", vectors, exact), oneDnn);
    }
  for (const char *unknown : {"", "OneDNN", "vnni"}) {
    const auto refused = chooseEightBitKernels(unknown, "avx512", true);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("TILERIG_EMULATOR_INT8"), std::string::npos);
    EXPECT_NE(refused.error().message().find("own or onednn"), std::string::npos);
  }
}

// A stream (address pattern) without gaps in the tile's own OCM (on-chip memory). Dimensions of size 1 have
// stride 0, as the checker requires.
Stream dense(ElementType type, uint64_t base, std::array<uint32_t, 5> sizes) {
  Stream stream{.space = Space::ocm, .type = type, .base = base};
  uint32_t stride = sizeBytes(type);
  for (unsigned d = 5; d-- > 0; stride *= sizes[d])
    stream.dims[d] = {sizes[d], sizes[d] > 1 ? stride : 0};
  return stream;
}

pod::ByteWeights partsOf(std::vector<uint8_t> &bytes, ElementType type, std::array<uint32_t, 5> sizes,
                         int32_t zeroPoint) {
  const Stream stream = dense(type, 0, sizes);
  return pod::ByteWeights::of({reinterpret_cast<std::byte *>(bytes.data()), type, stream.dims}, zeroPoint);
}

TEST(ByteWeights, AreSplitWhereSumsGrowTooLarge) {
  // Sums of products are exact in fp32 up to 2^24, which is just above 518 · 127 · 255: 518 channels fit in
  // one part, 519 need two.
  for (const auto &[channels, parts] : {std::pair{518u, 1u}, {519u, 2u}, {1036u, 3u}, {2000u, 4u}}) {
    std::vector<uint8_t> bytes(channels, 127);
    const auto known = partsOf(bytes, ElementType::i8, {1, 1, 1, 1, channels}, 0);
    ASSERT_TRUE(known.usable);
    EXPECT_EQ(known.parts, parts) << channels;
    EXPECT_GE(known.parts * known.partChannels, channels);
    EXPECT_EQ(known.sums, std::vector<int32_t>{127 * static_cast<int32_t>(channels)});
  }
  // If weights have both signs, the products need no split, because the positive products alone, and the
  // negative ones alone, sum to less than the limit of exact fp32 sums.
  std::vector<uint8_t> both(1036);
  for (size_t i = 0; i < both.size(); ++i)
    both[i] = static_cast<uint8_t>(i % 2 ? 127 : -127);
  EXPECT_EQ(partsOf(both, ElementType::i8, {1, 1, 1, 1, 1036}, 0).parts, 1u);
}

TEST(ByteWeights, FitIntoSignedBytesOrAreRefused) {
  std::vector<uint8_t> bytes{0, 255};
  const std::array<uint32_t, 5> sizes{1, 1, 1, 1, 2};
  EXPECT_TRUE(partsOf(bytes, ElementType::u8, sizes, 128).usable);
  EXPECT_FALSE(partsOf(bytes, ElementType::u8, sizes, 127).usable);
  EXPECT_TRUE(partsOf(bytes, ElementType::i8, sizes, 127).usable);
  EXPECT_FALSE(partsOf(bytes, ElementType::i8, sizes, 128).usable);
  // A kernel of 33 taps: even with 16 channels, the fewest in a part, a sum can exceed the limit of exact
  // fp32 sums.
  std::vector<uint8_t> large(33 * 16, 127);
  EXPECT_FALSE(partsOf(large, ElementType::i8, {1, 1, 33, 1, 16}, 0).usable);
}

// Sums of 25 million, including odd ones, which fp32 cannot hold, are exact because the channels are split
// into parts with smaller sums.
TEST(OneDnn, AddsUpPartsOfTheChannels) {
  constexpr uint32_t channels = 185, outputs = 7;
  for (const ElementType type : {ElementType::u8, ElementType::i8}) {
    Conv conv;
    conv.window = {.strideH = 2, .strideW = 1, .padTop = 1, .padLeft = 2};
    conv.input = dense(type, 0, {1, 2, 4, 5, channels});
    conv.weights = dense(ElementType::i8, 8192, {1, outputs, 3, 3, channels});
    conv.output = dense(ElementType::i32, 24576, {1, 2, 2, 6, outputs});
    conv.epilogue.inputZeroPoint = 3;
    PlainMachine expected(1, 1 << 15, 64);
    Random random(3);
    for (std::byte &byte : expected.ocms[0])
      byte =
          static_cast<std::byte>(type == ElementType::u8 ? random.between(250, 255) : random.between(0, 255));
    for (size_t i = 0; i < outputs * 9 * channels; ++i)
      expected.ocms[0][8192 + i] = static_cast<std::byte>(random.between(58, 63));
    PlainMachine got = expected;
    const PlainPlaces places(got, 0, true);
    const auto op = pod::prepareOneDnn(conv, 0, places);
    ASSERT_TRUE(op);
    Scratch scratch;
    ASSERT_FALSE(op->run(0, op->rows(), scratch));
    expected.execute(conv, 0);
    EXPECT_TRUE(got.ocms == expected.ocms);
    int32_t largest = 0;
    for (uint32_t i = 0; i < 2 * 2 * 6 * outputs; ++i) {
      int32_t sum;
      std::memcpy(&sum, expected.ocms[0].data() + 24576 + 4 * i, sizeof sum);
      largest = std::max(largest, sum);
    }
    if (type == ElementType::u8) {
      EXPECT_GT(largest, pod::largestExactSum);
    }
  }
}

TEST(OneDnn, LeavesOtherProductsToOurKernels) {
  PlainMachine machine(1, 1 << 15, 64);
  Conv conv;
  conv.input = dense(ElementType::i8, 0, {1, 1, 4, 4, 6});
  conv.weights = dense(ElementType::i8, 4096, {1, 4, 1, 1, 6});
  conv.output = dense(ElementType::i32, 8192, {1, 1, 4, 4, 4});
  EXPECT_TRUE(pod::prepareOneDnn(conv, 0, PlainPlaces(machine, 0, true)));
  EXPECT_FALSE(pod::prepareOneDnn(conv, 0, PlainPlaces(machine, 0, false)));
  Conv grouped = conv;
  grouped.groups = 2;
  grouped.weights = dense(ElementType::i8, 4096, {1, 4, 1, 1, 3});
  EXPECT_FALSE(pod::prepareOneDnn(grouped, 0, PlainPlaces(machine, 0, true)));
  Matmul matmul;
  matmul.a = dense(ElementType::i8, 0, {1, 1, 2, 4, 6});
  matmul.b = dense(ElementType::i8, 4096, {1, 1, 2, 4, 6});
  matmul.output = dense(ElementType::i32, 8192, {1, 1, 2, 4, 4});
  EXPECT_FALSE(pod::prepareOneDnn(matmul, 0, PlainPlaces(machine, 0, true)));
  matmul.b.dims[2].stride = 0;
  EXPECT_TRUE(pod::prepareOneDnn(matmul, 0, PlainPlaces(machine, 0, true)));
}

} // namespace
} // namespace tilerig
