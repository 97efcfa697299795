// Tests of matrix products whose factors are streamed from DDR: the steps they are split into, and plans with
// these steps.
#include "compiler/Tile/Plan/ProductSteps.h"

#include "compiler/Tile/Ops/Split.h"
#include "compiler/Tile/Plan/TilePlan.h"
#include "tests/support/Effort.h"
#include "tests/support/Random.h"
#include "tests/unit/Tile/ProductOp.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// A network of one product of two 8-bit inputs, whose result is the output.
DeviceNetwork product(int64_t rows, int64_t depth, int64_t columns) {
  DeviceNetwork network;
  for (const auto &[name, shape] : {std::pair<const char *, std::vector<int64_t>>{"a", {rows, depth}},
                                    {"b", {depth, columns}},
                                    {"c", {rows, columns}}}) {
    DeviceTensor tensor;
    tensor.name = name;
    tensor.shape = shape;
    tensor.type = ElementType::i8;
    network.tensors.push_back(std::move(tensor));
  }
  DeviceOp deviceOp = test::productOp();
  const float scale = 1;
  deviceOp.scale.bytes.resize(sizeof scale);
  std::memcpy(deviceOp.scale.bytes.data(), &scale, sizeof scale);
  deviceOp.macs = static_cast<uint64_t>(rows * depth * columns);
  network.steps.emplace_back(std::move(deviceOp));
  network.inputs = {0, 1};
  network.outputs = {2};
  network.layers = {{.name = "product", .kind = "MatMul"}};
  return network;
}
const DeviceOp &opOf(const DeviceNetwork &network) { return std::get<DeviceOp>(network.steps[0]); }

Box boxOf(int64_t rows, int64_t columns) { return Box::whole(std::vector<int64_t>{rows, columns}); }

TEST(ProductSteps, BoxesBecomeSmallerTowardsTheEnd) {
  const DeviceNetwork network = product(256, 64, 48);
  const std::vector<Box> boxes =
      boxesOf({.axis = 0, .parts = 2, .halvings = 2}, boxOf(256, 48), opOf(network));
  ASSERT_EQ(boxes.size(), 4u);
  const std::vector<Range> rows = {{0, 128}, {128, 192}, {192, 224}, {224, 256}};
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i][0], rows[i]);
    EXPECT_EQ(boxes[i][1], (Range{0, 48}));
  }
}

TEST(ProductSteps, ShortRangesAreNotHalved) {
  const DeviceNetwork network = product(40, 64, 48);
  const std::vector<Box> boxes = boxesOf({.axis = 0, .halvings = 3}, boxOf(40, 48), opOf(network));
  // When a range of rows is halved, each half but the last has a multiple of 16 rows, the rows of the POD
  // (matrix engine): 40 rows give 32 and 8, and 8 rows are not halved.
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0][0], (Range{0, 32}));
  EXPECT_EQ(boxes[1][0], (Range{32, 40}));
}

TEST(ProductSteps, FirstPartsOfTheDepthAreSmaller) {
  const std::vector<Range> parts = depthsOf(ProductSteps{.depthParts = 4, .depthHalvings = 2}, 512);
  const std::vector<Range> wanted = {{0, 32}, {32, 64}, {64, 128}, {128, 256}, {256, 384}, {384, 512}};
  EXPECT_EQ(parts, wanted);
  EXPECT_TRUE(depthsOf(ProductSteps{.depthParts = 1, .depthHalvings = 2}, 512).empty());
}

// All tiles at one row of routers share a port to DDR, which loads each part of a factor once for all of
// them. Taking the parts of the result band by band reduces the number of different parts that these tiles
// need.
TEST(ProductSteps, BandsKeepPartsToFewPorts) {
  const Machine machine = *loadMachine("tr64");
  const DeviceNetwork network = product(2048, 2048, 2048);
  const auto bytesWith = [&](int64_t band) {
    return bytesAtBusiestPort(opOf(network), network.tensors,
                              boxesOf(Split{{8, 8}, band}, opOf(network), network.tensors[2].shape, 64),
                              machine);
  };
  // Each factor of the matrix product is split into eight parts of this many bytes.
  constexpr uint64_t part = 256 * 2048;
  // The 16 tiles at one DDR port compute 2 x 8 parts of the product, for which they need 2 parts of one
  // factor and 8 parts of the other.
  EXPECT_EQ(bytesWith(0), (2 + 8) * part);
  EXPECT_EQ(bytesWith(4), (4 + 4) * part);
}

// Expects that every tile computes its part once, each sum in order of the depth (K), with the operands of
// each step in memory.
void expectSound(const DeviceNetwork &network, const TilePlan &plan) {
  const DeviceOp &deviceOp = opOf(network);
  const OpPlan &its = plan.deviceOps[0];
  const int64_t depth = depthOf(deviceOp, network.tensors);
  std::vector<uint8_t> computed(Box::whole(network.tensors[2].shape).elements());
  for (unsigned tile = 0; tile < plan.tiles; ++tile) {
    int64_t next = 0; // next index along the depth (K)
    for (uint32_t step = 0; step < its.steps[tile].size(); ++step) {
      const Box &box = its.steps[tile][step];
      const Range part = its.depths.empty() ? Range{0, depth} : its.depthAt(tile, step);
      EXPECT_EQ(part.begin, next);
      next = its.endsSum(tile, step) ? 0 : part.end;
      EXPECT_EQ(its.endsSum(tile, step), part.end == depth);
      for (size_t factor = 0; factor < 2; ++factor) {
        const Staging &stage = its.stages[factor][its.stageOf[factor][step]];
        EXPECT_LE(stage.firstStep, step);
        EXPECT_GE(stage.lastStep, step);
        EXPECT_TRUE(stage.boxes[tile].contains(
            neededBox(deviceOp.operands[factor], network.tensors[factor], box, its.depthAt(tile, step))));
        const Buffer &buffer = plan.memory.buffers[stage.buffer];
        EXPECT_LE(buffer.from, its.firstTimeStep + step);
        EXPECT_GE(buffer.to, its.firstTimeStep + step);
      }
      for (int64_t row = box[0].begin; its.endsSum(tile, step) && row < box[0].end; ++row)
        for (int64_t column = box[1].begin; column < box[1].end; ++column)
          ++computed[static_cast<size_t>(row * network.tensors[2].shape[1] + column)];
    }
  }
  EXPECT_TRUE(std::ranges::all_of(computed, [](uint8_t times) { return times == 1; }));
}

TEST(ProductSteps, PlansOfRandomProductsAreSound) {
  test::Random random(7);
  unsigned inSteps = 0, inBands = 0, withKept = 0;
  constexpr uint64_t all = 40, cases = test::rounds(all);
  for (uint64_t i = 0; i < cases; ++i) {
    Machine machine = *loadMachine(i % 3 == 0 ? "tr64" : i % 3 == 1 ? "tr16" : "tiny");
    if (random.below(2) == 0)
      machine.tile.ocmBytes = 16 << (10 + random.below(4));
    const auto size = [&] { return static_cast<int64_t>(1 + random.below(700)); };
    const int64_t columns = size(), depth = size(), rows = size();
    const DeviceNetwork network = product(rows, depth, columns);
    const auto tiles = static_cast<unsigned>(1 + random.below(machine.network.tiles));
    SCOPED_TRACE(testing::Message() << "case " << i);
    const Result<TilePlan> plan = planTiles(network, machine, {.tiles = tiles}, 0);
    ASSERT_TRUE(plan) << plan.error().message();
    expectSound(network, *plan);
    EXPECT_LE(plan->ocmPeak, machine.tile.ocmBytes);
    const auto &steps = plan->deviceOps[0].product;
    inSteps += steps && plan->deviceOps[0].numSteps > 1;
    inBands += plan->deviceOps[0].split.band > 0;
    withKept += steps && steps->kept > 0;
  }
  EXPECT_GT(inSteps, cases / 2);
  // Builds with sanitizers test only few random products, among which some kinds of plans may be missing:
  // those that compute the result band by band (a few rows at a time), or keep a factor in memory.
  if (cases == all) {
    EXPECT_GT(inBands, 0u);
    EXPECT_GT(withKept, 0u);
  }
}

// The estimated cycles of a product are at least the time of the multipliers, and the time to move each
// factor and the result once.
TEST(ProductSteps, TheEstimateIsNotBelowTheBound) {
  const Machine machine = *loadMachine("tr64");
  for (const auto &[rows, depth, columns] :
       {std::array<int64_t, 3>{2048, 2048, 2048}, {1024, 1024, 1024}, {4096, 1024, 512}}) {
    const DeviceNetwork network = product(rows, depth, columns);
    const TilePlan plan = *planTiles(network, machine, {.tiles = 64}, 0);
    const auto macs = static_cast<uint64_t>(rows * depth * columns) / (64 * 1024);
    const auto bytes = static_cast<uint64_t>(rows * depth + depth * columns + rows * columns);
    const uint64_t bound = std::max(macs, bytes * 1000 / machine.ddr.totalBytesPer1000Cycles);
    EXPECT_GE(plan.deviceOps[0].chosenCycles, bound);
    EXPECT_LE(plan.deviceOps[0].chosenCycles, bound * 5 / 4);
  }
}

} // namespace
} // namespace tilerig
