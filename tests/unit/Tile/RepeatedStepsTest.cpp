// Tests of operations that repeat with the same weights: they are found, tiles load their weights once if there is
// space to keep them, and some plans split them alike.
#include "compiler/Tile/Plan/RepeatedSteps.h"

#include "compiler/Tile/Emit/GenerateTasks.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "tests/unit/Tile/ProductOp.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

constexpr int64_t width = 64;

// Products of a row, one after another, by weights of width x width. Equal numbers in `weights` stand for the same
// weights.
DeviceNetwork chainOf(const std::vector<int> &weights) {
  DeviceNetwork network;
  const auto add = [&](std::vector<int64_t> shape) {
    DeviceTensor tensor;
    tensor.shape = std::move(shape);
    tensor.type = ElementType::fp16;
    network.tensors.push_back(std::move(tensor));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  };
  std::map<int, std::shared_ptr<const std::vector<std::byte>>> constants;
  TensorIndex row = add({1, width});
  network.inputs = {row};
  for (const int which : weights) {
    auto &bytes = constants[which];
    if (!bytes)
      bytes =
          std::make_shared<const std::vector<std::byte>>(width * width * 2, static_cast<std::byte>(which));
    DeviceOp deviceOp = test::productOp();
    deviceOp.operands[0].tensor = row;
    deviceOp.operands[1].tensor = add({width, width});
    network.tensors.back().bytes = bytes;
    row = deviceOp.result = add({1, width});
    deviceOp.layer = static_cast<uint32_t>(network.layers.size());
    network.layers.emplace_back().name = "product";
    network.steps.emplace_back(std::move(deviceOp));
  }
  network.outputs = {row};
  return network;
}

std::vector<TilePlan> plansOf(const DeviceNetwork &network, const Machine &machine) {
  Result<std::vector<TilePlan>> plans = planCandidates(network, machine, {.tiles = 4}, 0);
  EXPECT_TRUE(plans) << plans.error().message();
  return *std::move(plans);
}

const Staging &weightsOf(const TilePlan &plan, size_t step) { return plan.deviceOps[step].stages[1].front(); }

size_t numHeld(const TilePlan &plan) {
  size_t count = 0;
  for (size_t step = 0; step < plan.deviceOps.size(); ++step)
    count += weightsOf(plan, step).isHeld;
  return count;
}

size_t numLoads(const DeviceNetwork &network, const TilePlan &plan) {
  ConstantPool constants = ConstantPool::behind(plan.ddrEnd);
  size_t count = 0;
  for (const ProgramPart &part : generateTasks(network, plan, constants))
    for (const Task &task : part.tasks)
      count += std::holds_alternative<Load>(task.instruction) ||
               std::holds_alternative<Multicast>(task.instruction);
  return count;
}

TEST(RepeatedSteps, LieBetweenProductsWithTheSameWeights) {
  EXPECT_EQ(repeatedSteps(chainOf({1, 2, 3})), (std::vector{false, false, false}));
  EXPECT_EQ(repeatedSteps(chainOf({1, 2, 3, 2, 4})), (std::vector{false, true, true, true, false}));
}

// The first product reads the input from DDR, in several steps, and keeps buffers of its own.
TEST(RepeatedSteps, LoadTheirWeightsOnce) {
  const DeviceNetwork repeated = chainOf({5, 1, 1, 2, 1}), different = chainOf({5, 1, 3, 2, 4});
  const Machine machine = *loadMachine("tr64");
  size_t most = 0;
  for (const TilePlan &plan : plansOf(repeated, machine)) {
    most = std::max(most, numHeld(plan));
    for (const size_t step : {2u, 4u})
      if (const Staging &weights = weightsOf(plan, step); weights.isHeld) {
        const size_t holder = weightsOf(plan, 1).buffer == weights.buffer ? 1 : 2;
        EXPECT_EQ(weights.buffer, weightsOf(plan, holder).buffer);
        EXPECT_EQ(weights.boxes, weightsOf(plan, holder).boxes);
        EXPECT_LE(plan.memory.buffers[weights.buffer].from, plan.deviceOps[holder].firstTimeStep);
        EXPECT_GE(plan.memory.buffers[weights.buffer].to, plan.deviceOps[step].lastTimeStep());
      }
  }
  EXPECT_EQ(most, 2u);
  for (const TilePlan &plan : plansOf(different, machine))
    EXPECT_EQ(numHeld(plan), 0u);
}

TEST(RepeatedSteps, HaveFewerLoads) {
  const DeviceNetwork repeated = chainOf({5, 1, 1, 2, 1});
  for (const TilePlan &plan : plansOf(repeated, *loadMachine("tr64"))) {
    TilePlan alone = plan; // each operation loads its weights
    for (OpPlan &its : alone.deviceOps)
      its.stages[1].front().isHeld = false;
    EXPECT_EQ(numLoads(repeated, plan) < numLoads(repeated, alone), numHeld(plan) > 0);
  }
}

// An OCM with space for one and a half of the weights of a tile cannot keep some while it loads others.
TEST(RepeatedSteps, LoadWeightsAgainWithoutSpace) {
  const DeviceNetwork network = chainOf({5, 1, 2, 1});
  Machine machine = *loadMachine("tr64");
  machine.tile.ocmBytes = static_cast<uint32_t>(width * width * 2 * 3 / 2 / 4);
  for (const TilePlan &plan : plansOf(network, machine))
    EXPECT_EQ(numHeld(plan), 0u);
}

TEST(RepeatedSteps, AreSplitAlikeInSomePlan) {
  const DeviceNetwork network = chainOf({1, 1, 1});
  bool areAlike = false;
  for (const TilePlan &plan : plansOf(network, *loadMachine("tr64")))
    areAlike |= std::ranges::all_of(plan.deviceOps, [](const OpPlan &its) {
      return its.split.parts == std::vector<int64_t>{1, 4};
    });
  EXPECT_TRUE(areAlike);
}

} // namespace
} // namespace tilerig
