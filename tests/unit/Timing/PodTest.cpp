// Tests of the timing formulas of the POD (matrix engine): worked examples, and comparison with a count of
// panels, blocks and groups one by one.

#include "isa/Timing/Pod.h"
#include "isa/Timing/LowerBound.h"
#include "isa/Timing/Traffic.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

uint64_t cyclesOf(ElementType type, Mapping mapping, uint32_t m, uint32_t n, uint32_t k) {
  return timeOf(matmulOf(type, mapping, m, n, k), tr64()).cycles();
}

double shareOfPeak(const Instruction &instruction, uint64_t cycles, double macsPerCycle) {
  return static_cast<double>(macsOf(instruction)) / static_cast<double>(cycles) / macsPerCycle;
}

TEST(Pod, aTilesShareOfALargeMatmulRunsNearPeak) {
  // There are 16 groups of positions, 16 groups of outputs and 512 steps along K; loading the first panel
  // takes 8 KiB / 64 cycles.
  EXPECT_EQ(cyclesOf(ElementType::i8, Mapping::lamm, 256, 256, 2048), 32 + 128 + 131'072u);
  Instruction int8 = matmulOf(ElementType::i8, Mapping::lamm, 256, 256, 2048);
  EXPECT_GT(shareOfPeak(int8, cyclesOf(ElementType::i8, Mapping::lamm, 256, 256, 2048), 1024), 0.99);
  EXPECT_GT(shareOfPeak(int8, cyclesOf(ElementType::fp16, Mapping::lamm, 256, 256, 2048), 512), 0.99);
  EXPECT_GT(shareOfPeak(int8, cyclesOf(ElementType::fp32, Mapping::lamm, 256, 256, 2048), 64), 0.99);
}

TEST(Pod, everyDimensionIsRoundedUp) {
  uint64_t full = timeOf(matmulOf(ElementType::i8, Mapping::lamm, 32, 32, 64), tr64()).arrayCycles;
  EXPECT_EQ(full, 2 * 2 * 16u);
  EXPECT_EQ(timeOf(matmulOf(ElementType::i8, Mapping::lamm, 17, 17, 61), tr64()).arrayCycles, full);
  EXPECT_EQ(timeOf(matmulOf(ElementType::fp16, Mapping::lamm, 17, 17, 31), tr64()).arrayCycles, full);
  EXPECT_EQ(timeOf(matmulOf(ElementType::fp32, Mapping::lamm, 9, 9, 16), tr64()).arrayCycles, full);
}

// A fully connected layer has one position. With each of the mappings LAMM, SAMM1 and SAMM2, the weights must
// stream once at 64 B a cycle. LAMM also drains the array after every panel; the others do not.
TEST(Pod, fewPositionsBelongToSamm) {
  uint64_t weights = 1000 * 2048 / 64;
  EXPECT_EQ(cyclesOf(ElementType::i8, Mapping::samm1, 1, 1000, 2048), 32 + 32 + 63 * 512u);
  EXPECT_EQ(cyclesOf(ElementType::i8, Mapping::samm2, 1, 1000, 2048), 32 + 32 + 63 * 512u);
  // The weights form 63 groups of outputs x 4 panels of 512 steps along K.
  EXPECT_EQ(cyclesOf(ElementType::i8, Mapping::lamm, 1, 1000, 2048), 32 + 128 + weights + (63 * 4 - 1) * 32);
}

// A panel must fit in half of the registers, that is, in 8 KiB. With K = 9216 not even one position fits, so
// SAMM2 splits K into panels.
TEST(Pod, longKBelongsToSamm2) {
  EXPECT_EQ(cyclesOf(ElementType::i8, Mapping::samm2, 16, 256, 9216), 32 + 128 + 16 * 2304u);
  EXPECT_GT(cyclesOf(ElementType::i8, Mapping::samm1, 16, 256, 9216), 16 * 16 * 2304u);
}

TEST(Pod, manyPositionsBelongToLamm) {
  uint64_t lamm = cyclesOf(ElementType::i8, Mapping::lamm, 3136, 64, 576);
  EXPECT_EQ(lamm, 32 + 128 + 196 * 4 * 144u);
  EXPECT_GT(cyclesOf(ElementType::i8, Mapping::samm1, 3136, 64, 576), lamm);
  EXPECT_GT(cyclesOf(ElementType::i8, Mapping::samm2, 3136, 64, 576), lamm);
}

// A machine with small registers and few accumulators, so that every kind of block and panel occurs.
Machine crampedMachine(std::mt19937_64 &random) {
  Machine machine = tr64();
  machine.pod.int8 = {static_cast<uint32_t>(1 + random() % 4), static_cast<uint32_t>(1 + random() % 4),
                      static_cast<uint32_t>(1 + random() % 3)};
  machine.pod.half = machine.pod.single = {1, 1, 1};
  machine.pod.operandRegisterBytes = static_cast<uint32_t>(24 + random() % 100);
  machine.pod.accumulatorBytes = static_cast<uint32_t>(64 + random() % 200);
  machine.pod.streamBytesPerCycle = 16;
  machine.pod.fillCycles = static_cast<uint32_t>(random() % 40);
  machine.tile.ocmAccessBytes = 1; // with accesses of one byte, byte counts are not rounded up
  EXPECT_TRUE(verifyMachine(machine, ""));
  return machine;
}

struct Counted {
  uint64_t steps = 0, aBytes = 0, bBytes = 0, panels = 0;
};

// Splits the number `whole` into summands of at most `part`.
std::vector<uint64_t> partsOf(uint64_t whole, uint64_t part) {
  std::vector<uint64_t> parts(whole / part, part);
  if (whole % part)
    parts.push_back(whole % part);
  return parts;
}
uint64_t up(uint64_t amount, uint64_t part) { return (amount + part - 1) / part; }
uint64_t down(uint64_t amount, uint64_t part) { return amount / part * part; }

Counted walk(const Matmul &matmul, const Machine &machine) {
  auto [P, Q, K] = machine.pod.int8;
  uint64_t half = machine.pod.operandRegisterBytes / 2, accumulators = machine.pod.accumulatorBytes / 4;
  uint64_t m = matmul.a.dims[3].size, n = matmul.b.dims[3].size, k = matmul.a.dims[4].size;
  Counted count;
  auto panel = [&](uint64_t loaded, uint64_t streamed, uint64_t steps) {
    bool aStays = matmul.mapping != Mapping::lamm;
    (aStays ? count.aBytes : count.bBytes) += loaded;
    (aStays ? count.bBytes : count.aBytes) += streamed;
    count.steps += steps;
    ++count.panels;
  };
  uint64_t padded = up(k, K) * K; // elements that a vector of length k occupies in the registers
  switch (matmul.mapping) {
  case Mapping::lamm: {
    uint64_t panelK = down(half / Q, K);
    uint64_t block = padded > panelK ? down(accumulators / Q, P) : m;
    for (uint64_t outputs : partsOf(n, Q))
      for (uint64_t positions : partsOf(m, block))
        for (uint64_t part : partsOf(k, panelK))
          panel(outputs * part, positions * part, up(positions, P) * up(part, K));
    break;
  }
  case Mapping::samm1: {
    uint64_t held = half / padded;
    if (held == 0) {
      for (uint64_t position = 0; position < m; ++position)
        for (uint64_t outputs : partsOf(n, Q))
          for (uint64_t part : partsOf(padded, half)) {
            panel(0, 0, 0);
            (void)part, (void)outputs;
          }
      count.aBytes = m * k * up(n, Q);
      count.bBytes = m * k * n;
      count.steps = m * up(n, Q) * up(k, K);
      break;
    }
    for (uint64_t positions : partsOf(m, held >= P ? down(held, P) : held))
      panel(positions * k, n * k, up(positions, P) * up(n, Q) * up(k, K));
    break;
  }
  case Mapping::samm2: {
    uint64_t block = std::min(m, down(std::min(accumulators / Q, half / K), P));
    uint64_t held = down(accumulators / block, Q), panelK = half / (block * K) * K;
    for (uint64_t positions : partsOf(m, block))
      for (uint64_t outputs : partsOf(n, held))
        for (uint64_t part : partsOf(k, panelK))
          panel(positions * part, outputs * part, up(positions, P) * up(outputs, Q) * up(part, K));
    break;
  }
  }
  return count;
}

TEST(Pod, formulasCountWhatAWalkCounts) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Machine machine = crampedMachine(random);
    auto upTo = [&](uint32_t most) { return static_cast<uint32_t>(1 + random() % most); };
    Matmul matmul =
        matmulOf(ElementType::i8, static_cast<Mapping>(random() % 3), upTo(60), upTo(60), upTo(120));
    Counted expected = walk(matmul, machine);
    PodTime time = timeOf(matmul, machine);
    ASSERT_EQ(time.arrayCycles, expected.steps);
    ASSERT_EQ(time.aBytes, expected.aBytes);
    ASSERT_EQ(time.bBytes, expected.bBytes);
    uint64_t switching = (expected.panels - 1) * machine.pod.fillCycles;
    bool aStays = matmul.mapping != Mapping::lamm;
    ASSERT_EQ(time.aCycles, up(expected.aBytes, 16) + (aStays ? switching : 0));
    ASSERT_EQ(time.bCycles, up(expected.bBytes, 16) + (aStays ? 0 : switching));
  }
}

TEST(Pod, productsThatShareBAreOneSequenceOfPositions) {
  Matmul matmul = matmulOf(ElementType::i8, Mapping::lamm, 7, 64, 128);
  matmul.a = dense(ElementType::i8, {1, 1, 7, 7, 128});
  matmul.b.dims[2] = {7, 0};
  matmul.output = dense(ElementType::i8, {1, 1, 7, 7, 64});
  PodTime together = timeOf(matmul, tr64());
  EXPECT_EQ(together.arrayCycles, 4 * 4 * 32u); // 49 positions in groups of 16 make 4 groups
  EXPECT_EQ(together.bBytes, 64 * 128u);
  matmul.b = dense(ElementType::i8, {1, 1, 7, 64, 128});
  PodTime apart = timeOf(matmul, tr64());
  EXPECT_EQ(apart.arrayCycles, 7 * 4 * 32u);
  EXPECT_EQ(apart.bBytes, 7 * 64 * 128u);
}

TEST(Pod, transposedOperandsStreamAsFast) {
  Matmul matmul = matmulOf(ElementType::i8, Mapping::lamm, 64, 64, 64);
  uint64_t plain = timeOf(matmul, tr64()).cycles();
  matmul.b.dims[3].stride = 1;
  matmul.b.dims[4].stride = 64;
  EXPECT_EQ(timeOf(matmul, tr64()).cycles(), plain);
  // If no two elements are adjacent in memory, four of them are read per cycle.
  matmul.b.dims[3].stride = 2;
  EXPECT_EQ(timeOf(matmul, tr64()).bBytes, 64 * 64 * 16u);
}

// A 3 x 3 convolution with 512 channels on 7 x 7 positions, with half of the output lanes used: 38 % of peak.
TEST(Pod, aSmallShareOfAConvolutionPaysItsCeilings) {
  Conv conv = convOf(ElementType::i8,
                     {.rows = 7, .columns = 7, .outputs = 8, .channels = 512, .kernelH = 3, .kernelW = 3});
  PodTime time = timeOf(conv, tr64());
  EXPECT_EQ(time.arrayCycles, 4 * 1 * 9 * 128u);
  // Loading the first panel of 8 outputs x 512 channels takes 64 cycles.
  EXPECT_EQ(time.cycles(), 32 + 64 + 4608u);
  EXPECT_NEAR(shareOfPeak(conv, time.cycles(), 1024), 0.375, 0.001);
}

TEST(Pod, aTapsChannelsAreRoundedUp) {
  // A 7 x 7 convolution on 3 channels, typical for a first layer: a step multiplies up to 4
  // channels of one tap, so each of the 49 taps takes a step of its own.
  Conv conv = convOf(
      ElementType::i8,
      {.rows = 16, .columns = 112, .outputs = 64, .channels = 3, .kernelH = 7, .kernelW = 7, .stride = 2});
  PodTime time = timeOf(conv, tr64());
  EXPECT_EQ(time.arrayCycles, 112 * 4 * 49u);
  // A row of taps has 21 bytes and needs two accesses, so reading the image takes longest.
  EXPECT_EQ(time.aBytes, 4 * 16 * 112 * 7 * 32u);
  EXPECT_EQ(time.cycles() - time.startCycles, time.aBytes / 64);
}

TEST(Pod, aDepthwiseConvolutionUsesOneOfSixteen) {
  Conv conv = convOf(
      ElementType::i8,
      {.rows = 16, .columns = 16, .outputs = 64, .channels = 64, .groups = 64, .kernelH = 3, .kernelW = 3});
  PodTime time = timeOf(conv, tr64());
  // 16 groups side by side have 16 channels, which take four steps for each tap.
  EXPECT_EQ(time.arrayCycles, 4 * 16 * 9 * 4u);
  EXPECT_NEAR(shareOfPeak(conv, time.arrayCycles, 1024), 1.0 / 16, 1e-9);
  EXPECT_EQ(time.aBytes, 4 * 256 * 9 * 16u);
  Conv half = convOf(
      ElementType::fp16,
      {.rows = 16, .columns = 16, .outputs = 64, .channels = 64, .groups = 64, .kernelH = 3, .kernelW = 3});
  EXPECT_NEAR(shareOfPeak(half, timeOf(half, tr64()).arrayCycles, 512), 1.0 / 16, 1e-9);
}

TEST(Pod, groupsStandSideBySideWhereThatIsFaster) {
  ConvShape shape = {
      .rows = 8, .columns = 8, .outputs = 128, .channels = 128, .groups = 32, .kernelH = 3, .kernelW = 3};
  // 4 channels and 4 outputs per group: each group takes one step for each tap. Computing groups side by side
  // saves nothing here.
  EXPECT_EQ(timeOf(convOf(ElementType::i8, shape), tr64()).arrayCycles, 4 * 32 * 9u);
  // 2 channels and 2 outputs per group: two groups share a step.
  shape.groups = 64;
  EXPECT_EQ(timeOf(convOf(ElementType::i8, shape), tr64()).arrayCycles, 4 * 32 * 9u);
  // 64 channels and 64 outputs per group: groups cannot share a step.
  shape.groups = 2;
  EXPECT_EQ(timeOf(convOf(ElementType::i8, shape), tr64()).arrayCycles, 4 * 2 * 4 * 9 * 16u);
}

TEST(Pod, epilogueAndResultHaveWaysOfTheirOwn) {
  Matmul matmul = matmulOf(ElementType::i8, Mapping::lamm, 256, 256, 4); // hardly any arithmetic
  matmul.output = dense(ElementType::i32, {1, 1, 1, 256, 256});
  uint64_t start = timeOf(matmul, tr64()).startCycles;
  EXPECT_EQ(timeOf(matmul, tr64()).cycles(), start + 256 * 256 * 4 / 64);
  matmul.epilogue.accumulateFrom = matmul.output;
  EXPECT_EQ(timeOf(matmul, tr64()).cycles(), start + 256 * 256 * 4 / 64);
  matmul.epilogue.bias.present = true;
  EXPECT_EQ(timeOf(matmul, tr64()).cycles(), start + (256 * 256 * 4 + 256 * 4) / 64);
  matmul.epilogue.bias.broadcast = true;
  EXPECT_EQ(timeOf(matmul, tr64()).epilogueBytes, 256 * 256 * 4 + 4u);
  matmul.epilogue.addend = dense(ElementType::i8, {1, 1, 1, 256, 256});
  EXPECT_EQ(timeOf(matmul, tr64()).epilogueBytes, 256 * 256 * 5 + 4u);
}

TEST(Pod, resultsOfASeriesOrATableLeaveSixteenACycle) {
  Matmul matmul = matmulOf(ElementType::i8, Mapping::lamm, 256, 256, 64);
  EXPECT_EQ(timeOf(matmul, tr64()).resultCycles, 1024u);
  matmul.epilogue.finish.function = UnaryFunction::relu;
  EXPECT_EQ(timeOf(matmul, tr64()).resultCycles, 1024u);
  matmul.epilogue.finish.function = UnaryFunction::tanh;
  EXPECT_EQ(timeOf(matmul, tr64()).resultCycles, 4096u);
  matmul.epilogue.finish.function = UnaryFunction::identity;
  matmul.epilogue.table.present = true;
  EXPECT_EQ(timeOf(matmul, tr64()).resultCycles, 4096u);
  EXPECT_EQ(timeOf(matmul, tr64()).epilogueBytes, 256u);
}

} // namespace
