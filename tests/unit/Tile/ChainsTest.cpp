// Tests of chains of tiles that split the depth (K) of a product: every product is computed once, in order of
// the depth, and the last tile of a chain holds the result.
#include "compiler/Tile/Plan/TilePlan.h"
#include "tests/unit/Tile/ProductOp.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// A dense layer: the matrix product of the input and a constant.
DeviceNetwork denseLayer(int64_t rows, int64_t depth, int64_t columns) {
  DeviceNetwork network;
  const auto add = [&](const char *name, std::vector<int64_t> shape) {
    DeviceTensor tensor;
    tensor.name = name;
    tensor.shape = std::move(shape);
    tensor.type = ElementType::fp32;
    network.tensors.push_back(std::move(tensor));
  };
  add("a", {rows, depth});
  add("b", {depth, columns});
  add("c", {rows, columns});
  network.tensors[1].bytes = constantBytes(std::vector<std::byte>(static_cast<size_t>(depth * columns * 4)));
  DeviceOp deviceOp = test::productOp();
  network.steps.emplace_back(std::move(deviceOp));
  network.inputs = {0};
  network.outputs = {2};
  network.layers.resize(1);
  network.layers[0].name = "dense";
  return network;
}

Hints sharedOut() {
  Hints hints;
  hints.splitsDepth = true;
  return hints;
}

TEST(Chains, GoThroughTheDepthInOrder) {
  const Machine machine = *loadMachine("tr64");
  for (const auto &[rows, depth, columns, tiles] :
       {std::array<int64_t, 4>{40, 300, 20, 7}, {1, 1000, 10, 64}, {64, 64, 64, 2}, {200, 2000, 30, 64}}) {
    const DeviceNetwork network = denseLayer(rows, depth, columns);
    const Result<TilePlan> plan =
        planTiles(network, machine, {.tiles = static_cast<unsigned>(tiles), .hints = {sharedOut()}}, 0);
    ASSERT_TRUE(plan) << plan.error().message();
    const OpPlan &its = plan->deviceOps[0];
    const int64_t length = its.split.chain;
    ASSERT_GT(length, 1);
    std::vector<int> computed(static_cast<size_t>(rows * columns));
    for (unsigned first = 0; first < its.split.tiles(); first += static_cast<unsigned>(length)) {
      int64_t next = 0; // the index along the depth (K) at which the next tile has to start
      for (unsigned tile = first; tile < first + length; ++tile) {
        EXPECT_EQ(its.chainDepths[tile].begin, next);
        EXPECT_GT(its.chainDepths[tile].end, next);
        next = its.chainDepths[tile].end;
        // Each tile of a chain works one time step after the tile before it.
        for (uint32_t step = 0; step < its.steps[tile].size(); ++step) {
          EXPECT_EQ(its.computes(tile, step), step >= tile - first);
          if (its.computes(tile, step) && tile > first) {
            EXPECT_EQ(its.steps[tile][step], its.steps[tile - 1][step - 1]);
            EXPECT_EQ(its.bufferOfSums(tile, step), its.bufferOfSums(tile - 1, step - 1));
          }
          EXPECT_EQ(its.endsSum(tile, step), tile + 1 == first + length);
        }
        EXPECT_EQ(plan->places[2].owned[tile].empty(), tile + 1 != first + length);
      }
      EXPECT_EQ(next, depth);
      for (const Box &box : its.steps[first + static_cast<unsigned>(length) - 1])
        for (int64_t row = box[0].begin; row < box[0].end; ++row)
          for (int64_t column = box[1].begin; column < box[1].end; ++column)
            ++computed[static_cast<size_t>(row * columns + column)];
    }
    EXPECT_EQ(std::ranges::count(computed, 1), rows * columns);
  }
}

TEST(Chains, AreFormedWhereResultsAreFew) {
  const Machine machine = *loadMachine("tr64");
  const auto chainOf = [&](int64_t rows, int64_t depth, int64_t columns) {
    return planTiles(denseLayer(rows, depth, columns), machine, {.tiles = 64}, 0)->deviceOps[0].split.chain;
  };
  EXPECT_EQ(chainOf(1024, 256, 1024), 1);
  EXPECT_EQ(chainOf(64, 16, 64), 1); // a depth (K) of 16 is too short to be split over tiles
}

TEST(Chains, AreRefusedWhereTheyCannotBeFormed) {
  const Machine machine = *loadMachine("tr64");
  EXPECT_FALSE(planTiles(denseLayer(64, 63, 64), machine, {.tiles = 64, .hints = {sharedOut()}}, 0));
  EXPECT_FALSE(planTiles(denseLayer(64, 64, 64), machine, {.tiles = 1, .hints = {sharedOut()}}, 0));
  DeviceNetwork added = denseLayer(64, 256, 64);
  std::get<DeviceOp>(added.steps[0]).addend = 2;
  std::get<DeviceOp>(added.steps[0])
      .operands.push_back({.tensor = 0, .axes = {AxisMap::along(0), AxisMap::along(1)}});
  EXPECT_FALSE(planTiles(added, machine, {.tiles = 64, .hints = {sharedOut()}}, 0));
}

} // namespace
} // namespace tilerig
