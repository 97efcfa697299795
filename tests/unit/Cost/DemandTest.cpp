// Tests of the demand of layers, the cycles for which they need each resource of the machine: examples
// computed by hand from the numbers of the machine tr64 (isa/Machine/tr64.json), and properties that hold for
// every layer.
#include "compiler/Planning/Cost/Roofline.h"

#include "compiler/Planning/Schedule/Order.h"
#include "isa/Machine/Topology.h"
#include "tests/support/RandomTasks.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

using test::bytesAt;

constexpr uint32_t bytes = 64'000;
constexpr uint64_t allPorts = 625; // cycles for `bytes` at DDR's 102.4 B a cycle
constexpr uint64_t onePort = 1000; // cycles for `bytes` at 64 B a cycle

Task broadcast(TileSet tiles, unsigned issuer, uint64_t address) {
  return {issuer, Multicast{.tiles = tiles,
                            .source = bytesAt(Space::ddr, address, bytes),
                            .destination = bytesAt(Space::ocm, 0, bytes)}};
}
TileSet setOf(std::initializer_list<unsigned> tiles) {
  TileSet set = 0;
  for (const unsigned tile : tiles)
    set |= TileSet{1} << tile;
  return set;
}
const PrimitiveDemand &of(const LayerDemand &demand, Primitive primitive) {
  return demand.primitives[static_cast<size_t>(primitive)];
}

class Demand : public testing::Test {
protected:
  const Machine machine = *loadMachine("tr64");
  LayerDemand demandOf(const TaskList &tasks) const { return tilerig::demandOf(tasks, machine, 64); }
};

TEST_F(Demand, OfALoadIsLimitedByItsPort) {
  const LayerDemand demand = demandOf(
      {{0, Load{.source = bytesAt(Space::ddr, 0, bytes), .destination = bytesAt(Space::ocm, 0, bytes)}}});
  EXPECT_EQ(demand.ddrCycles, allPorts);
  EXPECT_EQ(demand.portCycles, onePort);
  EXPECT_EQ(demand.traffic.ddrReadBytes, bytes);
  EXPECT_EQ(of(demand, Primitive::load).instructions, 1u);
  EXPECT_EQ(of(demand, Primitive::load).leastCycles, allPorts);
  EXPECT_GE(of(demand, Primitive::load).cycles, onePort + 120); // the cycles include the latency of DDR, 120
  EXPECT_EQ(rooflineOf(demand).bound, allPorts);
  EXPECT_GE(rooflineOf(demand).parallel, onePort);
}

// Each row of routers (tiles 0 .. 15 and so on) has its own port to DDR, so a broadcast from DDR to receivers
// in every row uses every port.
TEST_F(Demand, OfBroadcastsDependsOnTheRowsOfReceivers) {
  TaskList acrossRows, withinRows;
  for (unsigned i = 0; i < 4; ++i) {
    acrossRows.push_back(broadcast(setOf({i, 16 + i, 32 + i, 48 + i}), 16 * i, i * bytes));
    withinRows.push_back(broadcast(setOf({16 * i, 16 * i + 1, 16 * i + 2, 16 * i + 3}), 16 * i, i * bytes));
  }
  const LayerDemand across = demandOf(acrossRows), within = demandOf(withinRows);
  EXPECT_EQ(across.ddrCycles, 4 * allPorts);
  EXPECT_EQ(within.ddrCycles, 4 * allPorts);
  EXPECT_EQ(across.portCycles, 4 * onePort);
  EXPECT_EQ(within.portCycles, onePort);
  EXPECT_EQ(of(across, Primitive::broadcast).cycles, 4 * onePort);
  EXPECT_EQ(rooflineOf(across).bound, rooflineOf(within).bound);
  EXPECT_GT(rooflineOf(across).parallel, rooflineOf(within).parallel);
}

// The cycles of a product are those of the busiest tile. 64 positions x 16 outputs x K = 256 in int8: 4
// blocks of 16 x 16, 64 cycles each.
TEST_F(Demand, OfAProductIsThatOfTheBusiestTile) {
  const Matmul matmul{.a = {.space = Space::ocm,
                            .type = ElementType::i8,
                            .base = 0,
                            .dims = {{{1, 0}, {1, 0}, {1, 0}, {64, 256}, {256, 1}}}},
                      .b = {.space = Space::ocm,
                            .type = ElementType::i8,
                            .base = 32 << 10,
                            .dims = {{{1, 0}, {1, 0}, {1, 0}, {16, 256}, {256, 1}}}},
                      .output = {.space = Space::ocm,
                                 .type = ElementType::i32,
                                 .base = 64 << 10,
                                 .dims = {{{1, 0}, {1, 0}, {1, 0}, {64, 64}, {16, 4}}}}};
  const LayerDemand demand = demandOf({{3, matmul}, {3, matmul}, {5, matmul}});
  const PrimitiveDemand &lammDemand = of(demand, Primitive::lamm);
  EXPECT_EQ(lammDemand.instructions, 3u);
  EXPECT_EQ(demand.macs, 3u * 64 * 16 * 256);
  EXPECT_EQ(lammDemand.macs, demand.macs);
  EXPECT_EQ(demand.peakCycles, demand.macs / (64 * 1024));
  EXPECT_GE(lammDemand.cycles, 2u * 256); // the busiest tile, tile 3, computes two of the three products
  EXPECT_LT(lammDemand.cycles, 3u * 256 + 300);
  EXPECT_EQ(demand.engineCycles[static_cast<size_t>(Engine::pod)], lammDemand.cycles);
}

TEST_F(Demand, IsCutIntoPrimitives) {
  TaskList tasks = {
      {0, Store{.source = bytesAt(Space::ocm, 0, 64), .destination = bytesAt(Space::ddr, 0, 64)}},
      {0, Store{.source = bytesAt(Space::ocm, 0, 64), .destination = bytesAt(Space::remote, 0, 64, 7)}},
      {0, Copy{.input = bytesAt(Space::ocm, 0, 64), .output = bytesAt(Space::ocm, 64, 64)}},
      {0, Conv{.groups = 1}},
      {0, Conv{.groups = 8}}};
  const std::vector<Primitive> expected = {Primitive::store, Primitive::exchange, Primitive::copy,
                                           Primitive::directConv, Primitive::groupedConv};
  for (size_t i = 0; i < tasks.size(); ++i)
    EXPECT_EQ(primitiveOf(tasks[i].instruction), expected[i]) << nameOf(expected[i]);
}

// The cycles that the roofline model predicts are ordered: bound <= parallel <= serial. The schedule of the
// tasks takes at least `bound` cycles.
TEST_F(Demand, BoundsAreInOrder) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const test::RandomTasks random = test::randomTasks(seed, machine, 1 + seed % 9, {.numWorks = 30});
    const LayerDemand demand = tilerig::demandOf(random.tasks, random.machine, random.tiles);
    const Roofline roofline = rooflineOf(demand);
    EXPECT_LE(roofline.bound, roofline.parallel) << seed;
    EXPECT_LE(roofline.parallel, roofline.serial) << seed;
    EXPECT_LE(roofline.parallel, roofline.estimate) << seed;
    const TaskOrder order =
        orderTasks(random.tasks, findDependencies(random.tasks, random.tiles, {}), random.machine);
    EXPECT_GE(order.cycles, roofline.bound) << seed;
    EXPECT_GE(order.cycles, std::max(demand.portCycles, demand.linkCycles)) << seed;
  }
}

// The estimate multiplies the cycles of each primitive by a factor. With factors of one it equals the serial
// bound; with other factors it is never below the parallel bound.
TEST_F(Demand, FactorsWeighPrimitives) {
  LayerDemand demand;
  demand.primitives[static_cast<size_t>(Primitive::load)] = {.instructions = 1, .cycles = 100};
  demand.primitives[static_cast<size_t>(Primitive::pool)] = {.instructions = 1, .cycles = 40};
  demand.engineCycles[static_cast<size_t>(Engine::dmaIn)] = 100;
  Factors factors;
  factors.fill(1);
  EXPECT_EQ(rooflineOf(demand, factors).estimate, 140u);
  EXPECT_EQ(rooflineOf(demand, factors).serial, 140u);
  factors[static_cast<size_t>(Primitive::load)] = 1.5;
  factors[static_cast<size_t>(Primitive::pool)] = 0.5;
  EXPECT_EQ(rooflineOf(demand, factors).estimate, 170u);
  factors.fill(0.5);
  EXPECT_EQ(rooflineOf(demand, factors).estimate, 100u);
}

} // namespace
} // namespace tilerig
