// Tests of counted multiplications and bytes, independent of the timing formulas.

#include "isa/Timing/Traffic.h"
#include "isa/Timing/Count.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

TEST(Traffic, macsOfAMatmulAndOfConvolutions) {
  EXPECT_EQ(macsOf(matmulOf(ElementType::i8, Mapping::samm1, 3, 5, 7)), 3 * 5 * 7u);
  Matmul batch = matmulOf(ElementType::i8, Mapping::lamm, 3, 5, 7);
  batch.output = dense(ElementType::i8, {2, 1, 4, 3, 5});
  EXPECT_EQ(macsOf(batch), 8 * 3 * 5 * 7u);
  EXPECT_EQ(macsOf(convOf(ElementType::i8, {.images = 2,
                                            .rows = 7,
                                            .columns = 5,
                                            .outputs = 8,
                                            .channels = 12,
                                            .groups = 4,
                                            .kernelH = 3,
                                            .kernelW = 2})),
            2 * 7 * 5 * 8 * 3 * 6 * 2 / 2u);
  EXPECT_EQ(macsOf(Copy()), 0u);
  EXPECT_EQ(macsOf(Halt()), 0u);
}

TEST(Traffic, ofThePodCountsEveryReRead) {
  Matmul matmul = matmulOf(ElementType::i8, Mapping::lamm, 64, 48, 128);
  matmul.epilogue.bias.present = true;
  Traffic traffic = trafficOf(matmul, tr64(), 0);
  EXPECT_EQ(traffic, (Traffic{.ocmReadBytes = 3 * 64 * 128 + 48 * 128 + 48 * 4, .ocmWriteBytes = 64 * 48}));
}

TEST(Traffic, ofThePe) {
  Copy copy = {.input = spaced(ElementType::i8, {1, 1, 1, 10, 10}),
               .output = dense(ElementType::i8, {1, 1, 1, 10, 10})};
  EXPECT_EQ(trafficOf(copy, tr64(), 0), (Traffic{.ocmReadBytes = 160, .ocmWriteBytes = 112}));
}

TEST(Traffic, ofTransfersByTheWayTheyTake) {
  Stream far = dense(ElementType::fp16, {1, 1, 1, 1, 1024}, Space::ddr);
  Stream own = dense(ElementType::fp32, {1, 1, 1, 1, 1024});
  EXPECT_EQ(
      trafficOf(Load{.source = far, .destination = own}, tr64(), 63),
      (Traffic{.ocmWriteBytes = 4096, .ddrReadBytes = 2048, .networkBytes = 2048, .linkBytes = 3 * 2048}));
  EXPECT_EQ(trafficOf(Store{.source = own, .destination = far}, tr64(), 0),
            (Traffic{.ocmReadBytes = 4096, .ddrWriteBytes = 2048, .networkBytes = 2048}));
  // A multicast to all tiles reads DDR once, writes every OCM, and uses the links of all four rows.
  EXPECT_EQ(
      trafficOf(Multicast{.tiles = ~uint64_t{0}, .source = far, .destination = own}, tr64(), 0),
      (Traffic{
          .ocmWriteBytes = 64 * 4096, .ddrReadBytes = 2048, .networkBytes = 2048, .linkBytes = 12 * 2048}));
}

TEST(Traffic, ofControlIsNone) {
  EXPECT_EQ(trafficOf(GlobalBarrier(), tr64(), 0), Traffic());
  EXPECT_EQ(trafficOf(Delay{.cycles = 5}, tr64(), 0), Traffic());
}

TEST(Traffic, addsUp) {
  Traffic sum = {1, 2, 3, 4, 5, 6};
  sum += {10, 20, 30, 40, 50, 60};
  EXPECT_EQ(sum, (Traffic{11, 22, 33, 44, 55, 66}));
}

} // namespace
