// Tests of the timing of transfers: their phases, worked out by hand, and the shared resources (DDR, ports,
// links) that they use.

#include "isa/Timing/Dma.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

constexpr uint32_t bytes = 64 * 1024;

Stream ocm(ElementType type = ElementType::i8) { return dense(type, {1, 1, 1, 1, bytes}); }
Stream ddr(ElementType type = ElementType::i8) { return dense(type, {1, 1, 1, 1, bytes}, Space::ddr); }
Stream remote(uint8_t tile) {
  Stream stream = ocm();
  stream.space = Space::remote;
  stream.tile = tile;
  return stream;
}

TEST(Dma, loadFromDdr) {
  // Tile 63 is at the fourth column of the fourth row of routers.
  Transfer transfer = transferOf(Load{.source = ddr(), .destination = ocm()}, tr64(), 63);
  EXPECT_EQ(transfer.read.latencyCycles, 120 + 3 * 4u);
  EXPECT_EQ(transfer.read.streamCycles, bytes / 64);
  EXPECT_EQ(transfer.write.cycles(), bytes / 64);
  EXPECT_EQ(transfer.cycles(), 120 + 12 + bytes / 64);
  EXPECT_EQ(transfer.read.ddrPorts, 0b1000u);
  EXPECT_EQ(transfer.read.links, routeBetween(tr64().network, 12, 15));
  EXPECT_EQ(transfer.read.ddrBytes, bytes);
  EXPECT_EQ(transfer.read.networkBytes, bytes);
  EXPECT_EQ(transfer.write.ddrBytes + transfer.write.networkBytes, 0u);
}

TEST(Dma, storeToDdr) {
  Transfer transfer = transferOf(Store{.source = ocm(), .destination = ddr()}, tr64(), 63);
  EXPECT_EQ(transfer.read.cycles(), bytes / 64);
  EXPECT_EQ(transfer.write.cycles(), 120 + 12 + bytes / 64);
  EXPECT_EQ(transfer.cycles(), 120 + 12 + bytes / 64);
  EXPECT_EQ(transfer.write.ddrPorts, 0b1000u);
  EXPECT_EQ(transfer.write.links, routeBetween(tr64().network, 15, 12));
}

TEST(Dma, betweenTiles) {
  Transfer load = transferOf(Load{.source = remote(0), .destination = ocm()}, tr64(), 63);
  EXPECT_EQ(load.read.cycles(), 6 * 4 + bytes / 64);
  // The data come from tile 0, over the links of the route from its router.
  EXPECT_EQ(load.read.links, routeBetween(tr64().network, 0, 15));
  EXPECT_EQ(load.cycles(), 24 + bytes / 64);
  Transfer store = transferOf(Store{.source = ocm(), .destination = remote(0)}, tr64(), 63);
  EXPECT_EQ(store.write.cycles(), 6 * 4 + bytes / 64);
  EXPECT_EQ(store.write.links, routeBetween(tr64().network, 15, 0));
  // A transfer between tiles at the same router uses no link.
  Transfer near = transferOf(Load{.source = remote(2), .destination = ocm()}, tr64(), 0);
  EXPECT_EQ(near.read.links.size(), 0u);
  EXPECT_EQ(near.read.networkBytes, bytes);
  EXPECT_EQ(near.cycles(), bytes / 64);
  Transfer own = transferOf(Store{.source = ocm(), .destination = ocm()}, tr64(), 0);
  EXPECT_EQ(own.cycles(), bytes / 64);
  EXPECT_EQ(own.read.networkBytes + own.write.networkBytes, 0u);
}

TEST(Dma, typesChangeInTheEngine) {
  // The network between tiles carries the elements as fp16. In the OCM (on-chip memory) they are fp32, which
  // takes twice as long to write.
  Transfer load =
      transferOf(Load{.source = ddr(ElementType::fp16), .destination = ocm(ElementType::fp32)}, tr64(), 0);
  EXPECT_EQ(load.read.networkBytes, 2 * bytes);
  EXPECT_EQ(load.cycles(), 120 + 4 * bytes / 64);
  Transfer store =
      transferOf(Store{.source = ocm(ElementType::fp32), .destination = ddr(ElementType::fp16)}, tr64(), 0);
  EXPECT_EQ(store.write.networkBytes, 2 * bytes);
  EXPECT_EQ(store.read.cycles(), 4 * bytes / 64);
  EXPECT_EQ(store.cycles(), 4 * bytes / 64); // reading the OCM limits the store, since DDR is faster
}

TEST(Dma, shortRunsInDdrCostWholeGranules) {
  Stream strided = spaced(ElementType::i8, {1, 1, 1, 1000, 16}, Space::ddr);
  Transfer transfer = transferOf(
      Load{.source = strided, .destination = dense(ElementType::i8, {1, 1, 1, 1000, 16})}, tr64(), 0);
  EXPECT_EQ(transfer.read.ddrBytes, 64'000u);
  EXPECT_EQ(transfer.read.networkBytes, 16'000u);
  EXPECT_EQ(transfer.cycles(), 120 + 1000u);
}

TEST(Dma, aTileGetsNoMoreThanDdrHas) {
  // The DDR of this machine gives 25.6 B a cycle, less than the port of a tile takes.
  Machine tiny = *loadMachine("tiny");
  Transfer transfer = transferOf(Load{.source = ddr(), .destination = ocm()}, tiny, 0);
  EXPECT_EQ(transfer.read.streamCycles, bytes * 10 / 256);
}

TEST(Dma, multicastFromDdrEntersEachRowOnce) {
  Multicast multicast = {.tiles = ~uint64_t{0}, .source = ddr(), .destination = ocm()};
  Transfer transfer = transferOf(multicast, tr64(), 5);
  EXPECT_EQ(transfer.read.ddrPorts, 0b1111u);
  EXPECT_EQ(transfer.read.links.size(), 12u);
  EXPECT_EQ(transfer.read.ddrBytes, bytes); // a multicast reads DDR once for all tiles
  EXPECT_EQ(transfer.cycles(), 120 + 3 * 4 + bytes / 64);
  EXPECT_EQ(transfer.receivers, 64u);
}

TEST(Dma, multicastFromATileRunsOverATree) {
  Multicast multicast = {.tiles = ~uint64_t{0}, .source = ocm(), .destination = ocm()};
  Transfer transfer = transferOf(multicast, tr64(), 0);
  EXPECT_EQ(transfer.write.links.size(), 15u);
  EXPECT_EQ(transfer.cycles(), 6 * 4 + bytes / 64);
  multicast.tiles = 1; // the multicast goes only to the sending tile itself
  EXPECT_EQ(transferOf(multicast, tr64(), 0).write.links.size(), 0u);
}

TEST(Dma, gatherReadsIndicesThenRows) {
  Gather gather = {.indices = dense(ElementType::i32, {1, 1, 1, 1, 64}),
                   .source = dense(ElementType::fp16, {1, 1, 1000, 1, 96}, Space::ddr),
                   .destination = dense(ElementType::fp16, {1, 1, 64, 1, 96})};
  Transfer transfer = transferOf(gather, tr64(), 0);
  // The gather reads rows of 192 bytes that are aligned in DDR.
  EXPECT_EQ(transfer.read.ddrBytes, 64 * 192u);
  EXPECT_EQ(transfer.read.latencyCycles, 120 + 64 * 4 / 64u);
  EXPECT_EQ(transfer.cycles(), 120 + 4 + 64 * 192 / 64u);
  gather.source.base = 32;
  EXPECT_EQ(transferOf(gather, tr64(), 0).read.ddrBytes, 64 * 256u);
  gather.source = dense(ElementType::fp16, {1, 1, 1000, 1, 96});
  Transfer own = transferOf(gather, tr64(), 0);
  EXPECT_EQ(own.cycles(), 4 + 64 * 192 / 64u);
  EXPECT_EQ(own.read.ddrPorts, 0u);
}

TEST(Dma, chunksAddUp) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000; ++i) {
    TransferPhase phase;
    phase.networkBytes = random() % 100'000;
    phase.ddrBytes = random() % 2 ? phase.networkBytes + random() % 1'000 : 0;
    uint64_t chunks = chunksOf(phase, tr64().network), network = 0, granules = 0;
    for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
      network += bytesOfChunk(phase.networkBytes, chunk, chunks);
      granules += bytesOfChunk(phase.ddrBytes, chunk, chunks);
      ASSERT_LE(bytesOfChunk(phase.networkBytes, chunk, chunks), 4096u);
      ASSERT_LE(bytesOfChunk(phase.ddrBytes, chunk, chunks), 4096u);
    }
    ASSERT_EQ(network, phase.networkBytes);
    ASSERT_EQ(granules, phase.ddrBytes);
  }
  EXPECT_EQ(chunksOf(TransferPhase(), tr64().network), 0u);
}

} // namespace
