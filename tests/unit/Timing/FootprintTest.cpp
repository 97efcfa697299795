// Tests of the counts of runs, accesses to the OCM (on-chip memory) and DDR granules (aligned blocks of 64
// bytes) of a stream against a walk over every address.

#include "isa/Timing/Footprint.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

std::vector<uint64_t> addressesOf(const Stream &stream) {
  std::vector<uint64_t> addresses;
  const auto &d = stream.dims;
  for (uint64_t i = 0; i < d[0].size; ++i)
    for (uint64_t j = 0; j < d[1].size; ++j)
      for (uint64_t k = 0; k < d[2].size; ++k)
        for (uint64_t l = 0; l < d[3].size; ++l)
          for (uint64_t m = 0; m < d[4].size; ++m)
            addresses.push_back(stream.base + i * d[0].stride + j * d[1].stride + k * d[2].stride +
                                l * d[3].stride + m * d[4].stride);
  return addresses;
}

struct Walk {
  uint64_t accessBytes = 0, granuleBytes = 0;
};

// Walks the addresses of the stream. A run ends where the next element is neither the same nor adjacent.
Walk walk(const Stream &stream, uint64_t access, uint64_t granule) {
  Walk total;
  uint64_t element = sizeBytes(stream.type);
  std::vector<uint64_t> addresses = addressesOf(stream);
  uint64_t begin = addresses[0], last = addresses[0];
  auto close = [&] {
    uint64_t end = last + element;
    total.accessBytes += (end - begin + access - 1) / access * access;
    total.granuleBytes += ((end - 1) / granule - begin / granule + 1) * granule;
  };
  for (uint64_t address : addresses) {
    if (address != last && address != last + element) {
      close();
      begin = address;
    }
    last = address;
  }
  close();
  return total;
}

// A random stream: dense inside, then with gaps and some repetitions, sometimes with the two innermost
// dimensions exchanged. After the first gap or repetition, all outer strides leave gaps too, so that no two
// runs touch by accident.
Stream randomStream(std::mt19937_64 &random) {
  Stream stream;
  stream.space = Space::ocm;
  stream.type = std::array{ElementType::i8, ElementType::fp16, ElementType::fp32}[random() % 3];
  uint64_t element = sizeBytes(stream.type), extent = element;
  stream.base = random() % 100 * element;
  bool exchanged = random() % 4 == 0, apart = false;
  for (unsigned d = 5; d-- > 0;) {
    apart = apart || (exchanged && d < 3);
    auto size = static_cast<uint32_t>(1 + random() % 6);
    bool repeats = random() % 5 == 0;
    bool gap = random() % 3 == 0 || apart;
    uint64_t stride = extent + (gap ? (1 + random() % 40) * element : 0);
    stream.dims[d] = {size, size == 1 || repeats ? 0 : static_cast<uint32_t>(stride)};
    if (size == 1)
      continue;
    apart = apart || gap || (repeats && extent > element);
    if (!repeats)
      extent += stride * (size - 1);
  }
  if (exchanged)
    std::swap(stream.dims[3], stream.dims[4]);
  return stream;
}

TEST(Footprint, agreesWithAWalkOverAllAddresses) {
  std::mt19937_64 random(1);
  Ddr ddr = tr64().ddr;
  Tile tile = tr64().tile;
  for (int i = 0; i < 20'000; ++i) {
    Stream stream = randomStream(random);
    ddr.granuleBytes = 16u << random() % 4;
    tile.ocmAccessBytes = 1u << random() % 6;
    Walk expected = walk(stream, tile.ocmAccessBytes, ddr.granuleBytes);
    ASSERT_EQ(ocmBytes(stream, tile).get(), expected.accessBytes) << i;
    ASSERT_EQ(ddrBytes(stream, ddr).get(), expected.granuleBytes) << i;
    ASSERT_LE(usefulBytes(stream).get(), walk(stream, 1, 1).accessBytes) << i;
  }
}

TEST(Footprint, absentStreamsCostNothing) {
  EXPECT_EQ(elementsOf(Stream()).get(), 0u);
  EXPECT_EQ(usefulBytes(Stream()).get(), 0u);
  EXPECT_EQ(ocmBytes(Stream(), tr64().tile).get(), 0u);
  EXPECT_EQ(ddrBytes(Stream(), tr64().ddr).get(), 0u);
}

TEST(Footprint, shortRunsCostWholeAccesses) {
  const Tile &tile = tr64().tile;
  // Reading a stream: one run of 100 bytes takes 7 accesses of 16 bytes.
  EXPECT_EQ(ocmBytes(dense(ElementType::i8, {1, 1, 1, 10, 10}), tile).get(), 112u);
  // Reading a stream: ten runs of 10 bytes take one access each, ten runs of 17 bytes two each.
  EXPECT_EQ(ocmBytes(spaced(ElementType::i8, {1, 1, 1, 10, 10}), tile).get(), 160u);
  EXPECT_EQ(ocmBytes(spaced(ElementType::i8, {1, 1, 1, 10, 17}), tile).get(), 320u);
  Stream transposed = spaced(ElementType::i8, {1, 1, 1, 10, 10});
  std::swap(transposed.dims[3], transposed.dims[4]);
  // A stream without adjacent elements takes one access for each element.
  EXPECT_EQ(ocmBytes(transposed, tile).get(), 1600u);
  EXPECT_EQ(ocmBytesOfBlocks(transposed, tile).get(), 160u);
  Stream scalar = dense(ElementType::fp32, {1, 1, 1, 10, 10});
  scalar.dims[3].stride = scalar.dims[4].stride = 0;
  EXPECT_EQ(ocmBytes(scalar, tile).get(), 16u); // a stream of one repeated element reads it once
  Stream column = dense(ElementType::fp32, {1, 1, 1, 10, 1});
  column.dims[4] = {10, 0}; // the stream repeats every element ten times
  EXPECT_EQ(ocmBytes(column, tile).get(), 48u);
  Stream row = dense(ElementType::fp32, {1, 1, 1, 1, 10});
  row.dims[3] = {10, 0}; // the stream repeats a row of ten elements ten times
  EXPECT_EQ(ocmBytes(row, tile).get(), 480u);
}

TEST(Footprint, misalignedRunsCostTheGranulesTheyTouch) {
  const Ddr &ddr = tr64().ddr;
  EXPECT_EQ(ddrBytes(dense(ElementType::i8, {1, 1, 1, 1, 64}, Space::ddr, 0), ddr).get(), 64u);
  EXPECT_EQ(ddrBytes(dense(ElementType::i8, {1, 1, 1, 1, 64}, Space::ddr, 1), ddr).get(), 128u);
  Stream everyOther = dense(ElementType::fp32, {1, 1, 1, 1, 8}, Space::ddr);
  everyOther.dims[4].stride = 8;
  EXPECT_EQ(ddrBytes(everyOther, ddr).get(), 8 * 64u);
}

// Any row of a table is charged like the most expensive row, because the index is not known in advance.
TEST(Footprint, rowsOfATableCostWhatTheDearestOneDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2'000; ++i) {
    Stream table = randomStream(random);
    table.dims[0] = table.dims[1] = {1, 0};
    uint64_t dearest = 0;
    for (uint64_t r = 0; r < table.dims[2].size; ++r) {
      Stream row = table;
      row.base += r * table.dims[2].stride;
      row.dims[2] = {1, 0};
      dearest = std::max(dearest, ddrBytes(row, tr64().ddr).get());
    }
    uint64_t cost = ddrBytesOfAnyRow(table, tr64().ddr).get();
    ASSERT_GE(cost, dearest);
    Stream row = table;
    row.dims[2] = {1, 0};
    if (runsOf(row).count == 1) {
      ASSERT_EQ(cost, dearest);
    }
  }
}

// Every window reads all of its taps, even those that an earlier window has read. Compared with a walk over
// positions and rows of taps.
TEST(Footprint, windowsReadEveryTapAnew) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2'000; ++i) {
    auto upTo = [&](uint32_t most) { return static_cast<uint32_t>(1 + random() % most); };
    ConvShape shape = {.images = upTo(2),
                       .rows = upTo(4),
                       .columns = upTo(6),
                       .outputs = 1,
                       .channels = upTo(40),
                       .groups = 1,
                       .kernelH = upTo(3),
                       .kernelW = 1 + upTo(3),
                       .stride = static_cast<uint16_t>(upTo(2)),
                       .dilation = static_cast<uint16_t>(upTo(2))};
    Conv conv = convOf(ElementType::fp16, shape);
    uint64_t expected = 0;
    for (uint32_t position = 0; position < shape.images * shape.rows * shape.columns; ++position)
      for (uint32_t row = 0; row < shape.kernelH; ++row) {
        // Each row of taps is a stream, whose accesses are counted by walking over its addresses.
        Stream taps = dense(ElementType::fp16, {1, 1, 1, shape.kernelW, shape.channels});
        taps.dims[3].stride = conv.input.dims[3].stride * shape.dilation;
        expected += walk(taps, 16, 64).accessBytes;
      }
    WindowReads reads = {shape.images * shape.rows, shape.columns, shape.kernelH, shape.kernelW,
                         shape.channels};
    ASSERT_EQ(ocmBytesOfWindows(conv.input, conv.window, reads, tr64().tile).get(), expected);
  }
}

TEST(Footprint, pointwiseWindowsReadWholeRows) {
  Conv conv = convOf(ElementType::i8, {.rows = 5, .columns = 7, .outputs = 1, .channels = 3});
  WindowReads reads = {5, 7, 1, 1, 3};
  // Each of the 5 rows of the image has 7 pixels of 3 bytes, 21 bytes: two accesses of 16 bytes.
  EXPECT_EQ(ocmBytesOfWindows(conv.input, conv.window, reads, tr64().tile).get(), 5 * 32u);
  conv.window.strideW = 2;
  EXPECT_EQ(ocmBytesOfWindows(conv.input, conv.window, reads, tr64().tile).get(), 35 * 16u);
}

} // namespace
