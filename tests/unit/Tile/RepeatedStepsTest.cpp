// Tests of operations that repeat with the same weights: they are found, tiles load their weights once if there is
// space to keep them, and some plans split them alike, on tiles close to each other.
#include "compiler/Tile/Plan/RepeatedSteps.h"

#include "compiler/Tile/Emit/GenerateTasks.h"
#include "compiler/Tile/Plan/RepeatedGroups.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "tests/unit/Tile/ProductOp.h"

#include <gtest/gtest.h>
#include <set>

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
  std::map<int, ConstantBytes> constants;
  TensorIndex row = add({1, width});
  network.inputs = {row};
  for (const int which : weights) {
    auto &bytes = constants[which];
    if (!bytes)
      bytes = constantBytes(std::vector(width * width * 2, static_cast<std::byte>(which)));
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

std::vector<TilePlan> plansOf(const DeviceNetwork &network, const Machine &machine,
                              const PlanOptions &options = {.tiles = 4}) {
  Result<std::vector<TilePlan>> plans = planCandidates(network, machine, options, 0);
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

TEST(RepeatedSteps, OfWholeStepsBeginBehindTheLastProduct) {
  DeviceNetwork network = chainOf({1, 2, 2, 2, 3});
  const auto addActivation = [&](size_t at) { // of the result of the step before
    DeviceOp activation = std::get<DeviceOp>(network.steps[at - 1]);
    activation.kind = DeviceOpKind::pointwise;
    activation.action = Activate{};
    network.steps.insert(network.steps.begin() + static_cast<std::ptrdiff_t>(at), activation);
  };
  for (const size_t at : {1u, 3u, 5u, 7u}) // behind the first four products
    addActivation(at);
  ASSERT_EQ(repeatedRanges(network).size(), 1u);
  EXPECT_EQ(repeatedRanges(network)[0].first, 2u);
  EXPECT_EQ(repeatedRanges(network)[0].last, 6u);
  EXPECT_EQ(repeatedRanges(network)[0].period, 2u);
  EXPECT_EQ(rangesOfWholeSteps(network)[0].first, 1u);
  EXPECT_EQ(rangesOfWholeSteps(network)[0].last, 7u);
}

TEST(RepeatedSteps, FormAGroupForEachRecurrence) {
  using Groups = std::vector<std::optional<size_t>>;
  const Groups::value_type none;
  EXPECT_EQ(repeatedGroups(chainOf({5, 1, 1, 2, 2})), (Groups{none, 0, 0, 1, 1}));
  // A product of other weights in between belongs to neither.
  EXPECT_EQ(repeatedGroups(chainOf({5, 1, 3, 1})), (Groups{none, 0, 0, 0}));
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

TEST(RepeatedSteps, AreSplitAlikeInSomePlanWithPinnedWeights) {
  const DeviceNetwork network = chainOf({5, 1, 1, 1});
  bool areAlike = false;
  for (const TilePlan &plan : plansOf(network, *loadMachine("tr64"), {.tiles = 4, .pinsWeights = true}))
    areAlike |= std::ranges::all_of(plan.deviceOps.begin() + 1, plan.deviceOps.end(), [](const OpPlan &its) {
      return its.split.parts == std::vector<int64_t>{1, 2};
    });
  EXPECT_TRUE(areAlike);
}

std::vector<unsigned> tilesOf(const DeviceNetwork &network, const TilePlan &plan, size_t step) {
  std::vector<unsigned> tiles;
  const std::vector<Box> &owned = plan.places[std::get<DeviceOp>(network.steps[step]).result].owned;
  for (unsigned tile = 0; tile < owned.size(); ++tile)
    if (!owned[tile].empty())
      tiles.push_back(tile);
  return tiles;
}

// Two recurrences, such as stacked layers, have different tiles in some plan, so that they can run at the same time.
TEST(RepeatedSteps, OfTwoGroupsHaveTilesOfTheirOwn) {
  const DeviceNetwork network = chainOf({5, 1, 1, 2, 2});
  bool areApart = false;
  for (const TilePlan &plan : plansOf(network, *loadMachine("tr64")))
    areApart |= tilesOf(network, plan, 1) == std::vector{0u, 1u} &&
                tilesOf(network, plan, 2) == std::vector{0u, 1u} &&
                tilesOf(network, plan, 3) == std::vector{2u, 3u} &&
                tilesOf(network, plan, 4) == std::vector{2u, 3u};
  EXPECT_TRUE(areApart);
}

// Sixteen tiles are four blocks, in a square of routers instead of a row.
TEST(RepeatedSteps, AreOnTilesCloseToEachOther) {
  const DeviceNetwork network = chainOf({5, 1, 1});
  const std::vector<unsigned> square = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
  bool areInSquare = false;
  for (const TilePlan &plan : plansOf(network, *loadMachine("tr64"), {.tiles = 64}))
    areInSquare |= tilesOf(network, plan, 1) == square && tilesOf(network, plan, 2) == square;
  EXPECT_TRUE(areInSquare);
}

TEST(RepeatedSteps, KeepAddressesForSomeRepetitions) {
  const DeviceNetwork network = chainOf({5, 1, 1, 1, 1});
  for (const TilePlan &plan : plansOf(network, *loadMachine("tr64"))) {
    std::set<uint64_t> addresses;
    for (size_t step = 0; step + 1 < network.steps.size(); ++step)
      addresses.insert(plan.addresses[plan.places[std::get<DeviceOp>(network.steps[step]).result].buffer]);
    EXPECT_EQ(addresses.size(), network.steps.size() - 1);
  }
}

} // namespace
} // namespace tilerig
