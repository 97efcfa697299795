// Tests of fusion blocks, chains of operations computed band by band (a few rows at a time). Each tile
// computes the rows that it needs of earlier operations, and these rows are in memory in the time steps in
// which they are read.
#include "compiler/Tile/Plan/Blocks.h"
#include "compiler/Tile/Plan/ChooseBlocks.h"
#include "compiler/Tile/Plan/Planner.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// A chain of elementwise device operations (`DeviceOp`) on an image of rows, columns and channels. For each
// operation, `reach` is the number of rows above and below a result row that it also reads from its operand.
DeviceNetwork chainOfOps(std::vector<int64_t> shape, const std::vector<int64_t> &reach) {
  DeviceNetwork network;
  const auto add = [&] {
    DeviceTensor tensor;
    tensor.name = "t" + std::to_string(network.tensors.size());
    tensor.shape = shape;
    network.tensors.push_back(std::move(tensor));
  };
  add();
  for (const int64_t rows : reach) {
    add();
    DeviceOp deviceOp;
    deviceOp.action = Activate{};
    deviceOp.layer = static_cast<uint32_t>(network.steps.size());
    deviceOp.result = static_cast<TensorIndex>(network.tensors.size() - 1);
    AxisMap around = AxisMap::along(0);
    around.low = -rows;
    around.high = rows;
    deviceOp.operands = {
        {.tensor = deviceOp.result - 1, .axes = {around, AxisMap::along(1), AxisMap::along(2)}}};
    deviceOp.divisible = {true, true, true};
    deviceOp.groupSize = {1, 1, 1};
    network.tensors.back().layer = deviceOp.layer;
    network.steps.emplace_back(std::move(deviceOp));
    network.layers.push_back({.name = "l" + std::to_string(network.layers.size()), .kind = "activate"});
  }
  network.inputs = {0};
  network.outputs = {static_cast<TensorIndex>(network.tensors.size() - 1)};
  return network;
}

Hints inBlock(int64_t number) {
  Hints hints;
  hints.fusionBlock = number;
  return hints;
}

Box rows(int64_t begin, int64_t end) {
  Box box = Box::whole(std::vector<int64_t>{40, 6, 8});
  box[0] = {begin, end};
  return box;
}

TEST(FusionBlocks, ComputeTheRowsThatLaterOperationsNeed) {
  const DeviceNetwork network = chainOfOps({40, 6, 8}, {0, 1, 2});
  EXPECT_EQ(boxesOfBand(network, {0, 2}, rows(10, 20)),
            (std::vector{rows(7, 23), rows(8, 22), rows(10, 20)}));
  EXPECT_EQ(boxesOfBand(network, {1, 2}, rows(0, 20)), (std::vector{rows(0, 22), rows(0, 20)}));
  EXPECT_EQ(boxesOfBand(network, {0, 2}, rows(38, 40)),
            (std::vector{rows(35, 40), rows(36, 40), rows(38, 40)}));
}

TEST(FusionBlocks, ComputeTheRowsThatAnyReaderNeeds) {
  DeviceNetwork network = chainOfOps({40, 6, 8}, {0, 1, 2});
  // The last operation also reads the first one's result, like a residual addition.
  std::get<DeviceOp>(network.steps[2])
      .operands.push_back({.tensor = 1, .axes = {AxisMap::along(0), AxisMap::along(1), AxisMap::along(2)}});
  EXPECT_EQ(boxesOfBand(network, {0, 2}, rows(10, 20))[0], rows(7, 23));
  EXPECT_FALSE(whyNoBlock(network, {0, 2}));
  EXPECT_TRUE(whyNoBlock(network, {0, 1})) << "its first result is wanted behind it";
}

TEST(FusionBlocks, EndAtTensorsWithOtherReaders) {
  DeviceNetwork network = chainOfOps({40, 6, 8}, {0, 1, 2});
  EXPECT_FALSE(whyNoBlock(network, {0, 2}));
  network.outputs.push_back(1);
  EXPECT_TRUE(whyNoBlock(network, {0, 2}));
  EXPECT_FALSE(whyNoBlock(network, {1, 2}));
  network.steps[2] = HostStep{.kernel = "topk", .inputs = {2}, .outputs = {3}};
  EXPECT_TRUE(whyNoBlock(network, {1, 2}));
}

// Expects that operations read only what was computed before, in buffers that nothing else uses meanwhile,
// and that all tiles together compute every element.
void expectSoundBlocks(const DeviceNetwork &network, const TilePlan &plan) {
  ASSERT_FALSE(plan.blocks.empty());
  for (const FusionBlock &block : plan.blocks) {
    const OpPlan &last = plan.deviceOps[block.last];
    std::vector<int> computed(
        static_cast<size_t>(network.tensors[std::get<DeviceOp>(network.steps[block.last]).result].shape[0]));
    for (unsigned tile = 0; tile < plan.tiles; ++tile)
      for (const Box &band : last.steps[tile])
        for (int64_t row = band[0].begin; row < band[0].end; ++row)
          computed[static_cast<size_t>(row)] += static_cast<int>(band[1].size() * band[2].size());
    for (const int elements : computed)
      EXPECT_EQ(elements, computed.front());
    for (size_t reader = block.first + 1; reader <= block.last; ++reader) {
      const OpPlan &its = plan.deviceOps[reader], &before = plan.deviceOps[reader - 1];
      EXPECT_TRUE(plan.places[std::get<DeviceOp>(network.steps[reader - 1]).result].inBands);
      ASSERT_EQ(its.numSteps, before.numSteps);
      for (uint32_t step = 0; step < its.numSteps; ++step) {
        EXPECT_EQ(its.timeStepOf(step), before.timeStepOf(step) + 1);
        const Staging &staging = its.stages[0][its.stageOf[0][step]];
        EXPECT_EQ(staging.buffer, before.resultBuffers[step]);
        const Buffer &buffer = plan.memory.buffers[staging.buffer];
        EXPECT_LE(buffer.from, before.timeStepOf(step));
        EXPECT_GE(buffer.to, its.timeStepOf(step));
        for (unsigned tile = 0; tile < plan.tiles; ++tile)
          if (its.computes(tile, step)) {
            const DeviceOp &deviceOp = std::get<DeviceOp>(network.steps[reader]);
            EXPECT_TRUE(before.steps[tile][step].contains(neededBox(
                deviceOp.operands[0], network.tensors[deviceOp.operands[0].tensor], its.steps[tile][step])));
          }
      }
    }
  }
}

TEST(FusionBlocks, AreFormedWhereTensorsWouldGoToDdr) {
  // Each tensor has 320 KiB, more than the OCMs (on-chip memories) of all tiles together. Without fusion
  // blocks it would go to DDR.
  const DeviceNetwork network = chainOfOps({640, 16, 8}, {1, 1, 1, 1});
  const Machine machine = *loadMachine("tiny");
  for (const unsigned tiles : {2u, 3u, 4u}) {
    const Result<TilePlan> plan = planTiles(network, machine, {.tiles = tiles}, 0);
    ASSERT_TRUE(plan) << plan.error().message();
    expectSoundBlocks(network, *plan);
    const Result<TilePlan> without = planTiles(network, machine, {.tiles = tiles, .fusesBlocks = false}, 0);
    ASSERT_TRUE(without);
    EXPECT_TRUE(without->blocks.empty());
    EXPECT_LT(plan->foreseenCycles, without->foreseenCycles);
  }
}

// The columns of the second result cannot be divided, so all of them are computed wherever one is needed.
TEST(FusionBlocks, ComputeIndivisibleAxesWhole) {
  DeviceNetwork network = chainOfOps({40, 6, 8}, {0, 0, 0});
  std::get<DeviceOp>(network.steps[1]).divisible = {true, false, true};
  Box part = rows(10, 20), whole = part;
  part[1] = {2, 3};
  EXPECT_EQ(boxesOfBand(network, {0, 2}, part), (std::vector{whole, whole, part}));
}

// A fusion block is computed band by band (a few rows at a time). If its bands do not fit in the OCMs
// (on-chip memories), there is no plan, and the planner's error names the block.
TEST(FusionBlocks, OfTooManyBandsAreRefused) {
  const DeviceNetwork network = chainOfOps({640, 16, 8}, {1, 1, 1, 1});
  const Machine machine = *loadMachine("tiny");
  const PlanOptions options{.tiles = 2};
  const Choices choices = chooseSplits(network, machine, 2, {}, std::vector<uint64_t>{0})->front();
  for (const int64_t most : {int64_t{1}, INT64_MAX}) {
    const FusionBlock block{0, 3, most};
    const Choices adapted = choicesWithBlocks(network, machine, 2, {block}, {}, choices);
    Planner planner(network, machine, options, adapted, {block});
    EXPECT_EQ(static_cast<bool>(planner.plan(0)), most > 1);
    EXPECT_EQ(planner.refusedBlock.has_value(), most == 1);
  }
}

TEST(FusionBlocks, AreNotFormedWhereAllFits) {
  const Result<TilePlan> plan =
      planTiles(chainOfOps({40, 6, 8}, {1, 1, 1}), *loadMachine("tr64"), {.tiles = 4}, 0);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->blocks.empty());
}

TEST(FusionBlocks, AreFormedWhereTheyAreAskedFor) {
  const DeviceNetwork network = chainOfOps({40, 6, 8}, {1, 0, 2});
  const Result<TilePlan> plan =
      planTiles(network, *loadMachine("tr64"), {.tiles = 4, .hints = {{}, inBlock(7), inBlock(7)}}, 0);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->blocks, (std::vector{FusionBlock{1, 2}}));
  expectSoundBlocks(network, *plan);
}

TEST(FusionBlocks, AreRefusedWhereTheyCannotBe) {
  const Machine machine = *loadMachine("tr64");
  const DeviceNetwork network = chainOfOps({40, 6, 8}, {1, 0, 2});
  const auto why = [&](const DeviceNetwork &of, std::vector<Hints> hints) {
    const Result<TilePlan> plan = planTiles(of, machine, {.tiles = 4, .hints = std::move(hints)}, 0);
    return plan ? std::string() : plan.error().message();
  };
  EXPECT_NE(why(network, {inBlock(1), {}, inBlock(1)}).find("do not follow each other"), std::string::npos);
  Hints cut = inBlock(1);
  cut.tiles = 2;
  EXPECT_NE(why(network, {cut, inBlock(1), inBlock(1)}).find("only the last layer may have hints"),
            std::string::npos);
  // The last operation of this block reads the network's input, not a result of the block.
  DeviceNetwork unread = network;
  std::get<DeviceOp>(unread.steps[2]).operands[0].tensor = 0;
  EXPECT_NE(why(unread, {{}, inBlock(1), inBlock(1)}).find("needs no element, or only padding"),
            std::string::npos);
  DeviceNetwork wanted = network;
  wanted.outputs.push_back(1);
  EXPECT_NE(why(wanted, {inBlock(1), inBlock(1), {}}).find("'l0' is also used outside"), std::string::npos);
}

} // namespace
} // namespace tilerig
