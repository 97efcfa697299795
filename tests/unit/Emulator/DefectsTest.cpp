// Tests of emulated hardware defects: the effect of each kind, worked out by hand.
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "tests/unit/Emulator/AssembledRun.h"

#include <fmt/format.h>

namespace tilerig {
using namespace emulator;
namespace {

using test::integersOf;
using test::many;
using test::runText;
using Integers = std::vector<int64_t>;

const BeatsOptions goOn{.onFault = OnFault::continueRun};

// Expects the same outputs from the beat-by-beat mode and from the fast mode.
void expectBoth(const std::string &text, const Defects &defects, const Integers &expected) {
  const BeatsRun run = runText(text, {}, defects);
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(integersOf(run.outputs, "y"), expected);
  Assembly assembly = test::assembled(text);
  ASSERT_TRUE(prove(assembly.program));
  auto session = Session::load(assembly.program, {.threads = 2, .defects = defects});
  ASSERT_TRUE(session) << session.error().message();
  const auto outputs = (*session)->run(assembly.test.inputs);
  ASSERT_TRUE(outputs);
  EXPECT_EQ(integersOf(*outputs, "y"), expected);
}

// A product with eighteen positions and two outputs: position r has the results r and -1.
const std::string products = R"(
.constant a=0x1000 i8 [0..17]
.constant b=0x2000 i8 [1 0]
.output "y" int32 [18, 2] ddr[0x3000]
.constant start=0x4000 i32 [0 -1]
    load source=i8 ddr[a] <18> destination=i8 ocm[0] <18>
    load source=i8 ddr[b] <2> destination=i8 ocm[0x40] <2>
    load source=i32 ddr[start] <2> destination=i32 ocm[0x80] <2>
    sync engine=pod on=dma_in
    matmul a=i8 ocm[0] <18, 1> b=i8 ocm[0x40] <2, 1> output=i32 ocm[0x100] <18, 2> epilogue={bias=[0x80]}
    sync engine=dma_out on=pod
    store source=i32 ocm[0x100] <18, 2> destination=i32 ddr[0x3000] <18, 2>
    halt
)";
Integers productsWithout(std::initializer_list<std::pair<size_t, int64_t>> changes) {
  Integers expected;
  for (int64_t r = 0; r < 18; ++r) {
    expected.push_back(r);
    expected.push_back(-1);
  }
  for (const auto &[index, value] : changes)
    expected[index] = value;
  return expected;
}

TEST(Defects, NoneChangesNothing) { expectBoth(products, {}, productsWithout({})); }

TEST(Defects, AStuckBitOfALane) {
  // Positions 1 and 17 are computed by the same lane of the POD (matrix engine); bit 3 is set in both
  // results.
  expectBoth(products, {.stuckBits = {{{0, 1, 0}, 3, true}}}, productsWithout({{2, 1 + 8}, {34, 17 + 8}}));
  // The result -1, whose sign bit the defect clears.
  expectBoth(products, {.stuckBits = {{{0, 2, 1}, 31, false}}}, productsWithout({{5, 0x7FFFFFFF}}));
  // A result in which the bit already has the stuck value does not change.
  expectBoth(products, {.stuckBits = {{{0, 2, 1}, 30, true}}}, productsWithout({}));
}

TEST(Defects, ADeadLaneReadsAsZeroBiasIncluded) {
  expectBoth(products, {.deadLanes = {{0, 0, 1}}}, productsWithout({{1, 0}, {33, 0}}));
}

TEST(Defects, SumsInTooFewBitsWrap) {
  // Sums wrap in accumulators of five bits: 0 .. 15 and -1 are unchanged, 16 becomes -16 and 17 becomes -15.
  expectBoth(products, {.narrowAccumulators = {{0, 5}}}, productsWithout({{32, -16}, {34, -15}}));
  expectBoth(products, {.narrowAccumulators = {{0, 6}}}, productsWithout({}));
}

TEST(Defects, AccumulatorsGoThroughLanesBeforeTheyAreRequantised) {
  // The products are 3 * 2 = 6 and 3 * 4 = 12. Bit 4 of the second is stuck at one, so it becomes 12 + 16 =
  // 28. Then both are halved, and ReLU changes nothing.
  const std::string text = R"(
.constant a=0x1000 i8 [3]
.constant b=0x1010 i8 [2 4]
.constant half=0x1020 fp32 [0.5]
.output "y" int8 [1, 2] ddr[0x3000]
    load source=i8 ddr[a] destination=i8 ocm[0]
    load source=i8 ddr[b] <2> destination=i8 ocm[0x40] <2>
    load source=fp32 ddr[half] destination=fp32 ocm[0x80]
    sync engine=pod on=dma_in
    matmul a=i8 ocm[0] <1, 1> b=i8 ocm[0x40] <2, 1> output=i8 ocm[0x100] <1, 2>
        epilogue={scale=[0x80]* finish={clamp_low=-128 clamp_high=127 output={scale=1}}}
    sync engine=dma_out on=pod
    store source=i8 ocm[0x100] <2> destination=i8 ddr[0x3000] <2>
    halt
)";
  expectBoth(text, {}, {3, 6});
  expectBoth(text, {.stuckBits = {{{0, 0, 1}, 4, true}}}, {3, 14});
}

TEST(Defects, ASignStuckInAConvolutionOfFloats) {
  // A 1x1 convolution multiplies the pixels 1 2 3 4 by 2. The sign bit of the third result is stuck at 1.
  const std::string text = R"(
.constant image=0x1000 fp32 [1 2 3 4]
.constant kernel=0x1010 fp32 [2]
.output "y" float32 [4] ddr[0x3000]
    load source=fp32 ddr[image] <4> destination=fp32 ocm[0] <4>
    load source=fp32 ddr[kernel] destination=fp32 ocm[0x40]
    sync engine=pod on=dma_in
    conv input=fp32 ocm[0] <2, 2, 1> weights=fp32 ocm[0x40] <1, 1, 1, 1> output=fp32 ocm[0x80] <2, 2, 1>
    sync engine=dma_out on=pod
    store source=fp32 ocm[0x80] <4> destination=fp32 ddr[0x3000] <4>
    halt
)";
  expectBoth(text, {.stuckBits = {{{0, 2, 0}, 31, true}}}, {2, 4, -6, 8});
  expectBoth(text, {.narrowAccumulators = {{0, 8}}}, {2, 4, 6, 8}); // affects only integers
}

// Tile 0 multicasts eight sevens to tiles 1 and 2, tile 1 adds one; all three tiles store their values.
const std::string passedOn = R"(
.tiles 3
.constant one=0x1000 u8 [1*8]
.output "y" uint8 [3, 8] ddr[0x2000]
.tile 0
    fill value=0x7 output=u8 ocm[0] <8>
    sync engine=dma_out on=pe
    multicast tiles={1-2} source=u8 ocm[0] <8> destination=u8 ocm[0] <8>
    signal engine=dma_out tile=1 semaphore=0
    signal engine=dma_out tile=2 semaphore=0
    store source=u8 ocm[0] <8> destination=u8 ddr[0x2000] <8>
    halt
.tile 1
    load source=u8 ddr[one] <8> destination=u8 ocm[0x40] <8>
    sync engine=pe on=dma_in
    wait engine=pe semaphore=0
    binary a_affine={scale=1} b_affine={scale=1} finish={clamp_high=255 output={scale=1}}
        a=u8 ocm[0] <8> b=u8 ocm[0x40] <8> output=u8 ocm[0x80] <8>
    sync engine=dma_out on=pe
    store source=u8 ocm[0x80] <8> destination=u8 ddr[0x2008] <8>
    halt
.tile 2
    wait engine=dma_out semaphore=0
    store source=u8 ocm[0] <8> destination=u8 ddr[0x2010] <8>
    halt
)";
Integers eights(int64_t first, int64_t second, int64_t third) {
  Integers all = many(8, first);
  all.insert(all.end(), 8, second);
  all.insert(all.end(), 8, third);
  return all;
}

TEST(Defects, ADeadTileWritesZerosAndStillSignals) {
  expectBoth(passedOn, {}, eights(7, 8, 7));
  expectBoth(passedOn, {.deadTiles = 1 << 0}, eights(0, 1, 0));
  expectBoth(passedOn, {.deadTiles = 1 << 1}, eights(7, 0, 7));
}

TEST(Defects, ALostSignalCausesADeadlock) {
  const BeatsRun run = runText(passedOn, {}, {.lostSignals = {{0, 1}}});
  EXPECT_FALSE(run.ended);
  ASSERT_EQ(run.faults.size(), 1u);
  EXPECT_EQ(run.faults[0].kind, FaultKind::semaphoreNeverReached);
  EXPECT_EQ(run.faults[0].place->tile, 2u);
  EXPECT_EQ(run.faults[0].place->engine, Engine::dmaOut);
}

TEST(Defects, AWrongDestination) {
  // Because of the defect, tile 0 sends the data for tile 1 to itself, where they are already. So tile 1
  // reads uninitialised memory.
  const Defects defects{.wrongDestinations = {{0, 0, 1, 0}}};
  const BeatsRun stopped = runText(passedOn, {}, defects);
  EXPECT_FALSE(stopped.ended);
  ASSERT_EQ(stopped.faults.size(), 1u);
  EXPECT_EQ(stopped.faults[0].kind, FaultKind::uninitialisedRead);
  EXPECT_EQ(stopped.faults[0].place->tile, 1u);
  EXPECT_EQ(stopped.faults[0].place->operand, "a");
  EXPECT_EQ(integersOf(runText(passedOn, goOn, defects).outputs, "y"), eights(7, 0xA6, 7));

  // Because of the defect, what a tile writes into a neighbour's memory goes to another tile.
  const std::string remote = R"(
.tiles 3
.output "y" uint8 [4] ddr[0x2000]
.tile 0
    fill value=0x7 output=u8 ocm[0] <4>
    sync engine=dma_out on=pe
    store source=u8 ocm[0] <4> destination=u8 remote 1[0] <4>
    signal engine=dma_out tile=2 semaphore=0
    halt
.tile 2
    fill value=0x5 output=u8 ocm[0] <4>
    wait engine=dma_out semaphore=0
    sync engine=dma_out on=pe
    store source=u8 ocm[0] <4> destination=u8 ddr[0x2000] <4>
    halt
)";
  EXPECT_EQ(integersOf(runText(remote).outputs, "y"), many(4, 5));
  EXPECT_EQ(integersOf(runText(remote, {}, {.wrongDestinations = {{0, 0, 1, 2}}}).outputs, "y"), many(4, 7));
}

// Four fives are written into the OCM and read 1,000 cycles later.
const std::string kept = R"(
.constant fixed=0x1000 u8 [6*4]
.output "y" uint8 [8] ddr[0x2000]
    fill value=0x5 output=u8 ocm[0] <4>
    delay engine=dma_in cycles=1000
    load source=u8 ddr[fixed] <4> destination=u8 ocm[4] <4>
    sync engine=dma_out on=dma_in
    sync engine=dma_out on=pe
    store source=u8 ocm[0] <8> destination=u8 ddr[0x2000] <8>
    halt
)";

TEST(Defects, ABitThatFlips) {
  EXPECT_EQ(integersOf(runText(kept).outputs, "y"), (Integers{5, 5, 5, 5, 6, 6, 6, 6}));
  const auto flipped = [](FlippedBit flip) {
    return integersOf(runText(kept, {}, {.flippedBits = {flip}}).outputs, "y");
  };
  // A bit flip between the write and the read turns 5 into 7. A flip before the write, or after the last
  // read, has no effect.
  EXPECT_EQ(flipped({false, 0, 2, 1, 500}), (Integers{5, 5, 7, 5, 6, 6, 6, 6}));
  EXPECT_EQ(flipped({false, 0, 2, 1, 0}), (Integers{5, 5, 5, 5, 6, 6, 6, 6}));
  EXPECT_EQ(flipped({false, 0, 2, 1, 1'000'000}), (Integers{5, 5, 5, 5, 6, 6, 6, 6}));
  // A bit flip in a constant in DDR turns 6 into 14.
  EXPECT_EQ(flipped({true, 0, 0x1001, 3, 500}), (Integers{5, 5, 5, 5, 6, 14, 6, 6}));
}

TEST(Defects, AFlippedConstantIsRestoredInTheNextRun) {
  const Assembly assembly = test::assembled(kept);
  auto session = BeatsSession::load(assembly.program, {.flippedBits = {{true, 0, 0x1001, 3, 500}}});
  ASSERT_TRUE(session);
  for (int repeat = 0; repeat < 2; ++repeat)
    EXPECT_EQ(integersOf((*session)->run({})->outputs, "y"), (Integers{5, 5, 5, 5, 6, 14, 6, 6}));
  // The run with a defect has left the caller's program unchanged.
  EXPECT_EQ(assembly.program.constants[0].bytes[1], std::byte{6});
}

TEST(Defects, ADelayedTransferTakesThatMuchLonger) {
  const std::string text = R"(
.constant data=0x1000 u8 [6*4]
.output "y" uint8 [4] ddr[0x2000]
    load source=u8 ddr[data] <4> destination=u8 ocm[0] <4>
    sync engine=dma_out on=dma_in
    store source=u8 ocm[0] <4> destination=u8 ddr[0x2000] <4>
    halt
)";
  const uint64_t cycles = runText(text).cycles;
  const BeatsRun first = runText(text, {}, {.delayedTransfers = {{0, 0, 333}}}),
                 both = runText(text, {}, {.delayedTransfers = {{0, 0, 333}, {0, 1, 50}}});
  EXPECT_EQ(first.cycles, cycles + 333);
  EXPECT_EQ(both.cycles, cycles + 383);
  EXPECT_EQ(integersOf(both.outputs, "y"), many(4, 6));
}

TEST(Defects, FastModeRefusesDefectsOfTiming) {
  Assembly assembly = test::assembled(kept);
  ASSERT_TRUE(prove(assembly.program));
  EXPECT_FALSE(Session::load(assembly.program, {.defects = {.flippedBits = {{false, 0, 2, 1, 500}}}}));
}

} // namespace
} // namespace tilerig
