// Tests of automatic synchronisation on networks that were split by hand, compared with their hand-written
// synchronisation.
#include "emulator/Session.h"
#include "isa/Timeline/Timeline.h"
#include "tests/benchmarks/SplitNetwork.h"
#include "tests/support/Random.h"
#include "tests/unit/Schedule/NetworkTasks.h"
#include "tests/unit/Schedule/Orders.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

namespace tilerig {
using namespace compiler;
using namespace emulator;
namespace {

using test::allModes;
using test::firstProblem;

ScheduledStage scheduled(const Program &program, OrderMode mode = OrderMode::interleaved,
                         bool markers = false) {
  const std::vector<ByteRange> constants = test::constantsOf(program);
  auto stage = scheduleStage(test::tasksOf(program, markers), program.machine, program.tiles,
                             {.order = {.mode = mode}, .constants = constants});
  EXPECT_TRUE(stage) << stage.error().message();
  return *std::move(stage);
}

uint64_t cyclesOf(const Program &program) { return timeStage(costsOfStage(program, 0), program, {}).end; }

Tensor outputOf(Program program, const test::Network &network) {
  const Status proved = prove(program);
  EXPECT_TRUE(proved) << proved.error().message();
  auto session = Session::load(std::move(program), {.threads = 2});
  EXPECT_TRUE(session) << session.error().message();
  Tensor input(DType::i8, {network.height, network.width, network.channels});
  test::Random random(5);
  for (int8_t &x : input.mutableAs<int8_t>())
    x = static_cast<int8_t>(random.between(-128, 127));
  TensorMap inputs;
  EXPECT_TRUE(inputs.add("input", input));
  auto outputs = (*session)->run(inputs);
  EXPECT_TRUE(outputs) << outputs.error().message();
  return *outputs->find("output");
}

TEST(ScheduledNetworks, GiveTheSame) {
  const test::Network network = test::smallNetwork();
  Program program = *test::splitProgram(network, *loadMachine("tiny"), 4, ElementType::i8);
  const Tensor expected = outputOf(program, network);
  for (const OrderMode mode : allModes)
    for (const bool markers : {false, true}) {
      Program again = program;
      again.metadata.clear_debug();
      again.stages[0].work = scheduled(program, mode, markers).stage;
      EXPECT_TRUE(identical(outputOf(again, network), expected));
    }
}

// A network of sixty layers whose images are split into 8 x 8 boxes: after each layer every tile exchanges
// halos with its neighbours.
test::Network haloNetwork() {
  test::Network network{64, 64, 16, {}};
  for (int i = 0; i < 60; ++i)
    network.layers.push_back({.name = fmt::format("l{}", i),
                              .input = i - 1,
                              .outputs = 16,
                              .kernel = 3,
                              .pad = 1,
                              .split = {8, 8, 1}});
  return network;
}

TEST(ScheduledNetworks, HalosTakeAWaitForEachNeighbour) {
  const test::Network network = haloNetwork();
  const Program byHand = *test::splitProgram(network, *loadMachine("tr64"), 64, ElementType::i8);
  for (const OrderMode mode : allModes) {
    Program program = byHand;
    ScheduledStage stage = scheduled(program, mode);
    // An 8 x 8 square of tiles has 420 ordered pairs of neighbours. Each tile sends its part to each
    // neighbour once per layer. A part that a neighbour sends also shows that the neighbour has finished
    // reading the previous part, so no further signal is needed. In addition, one tile multicasts the weights
    // to the 63 others and waits until all have finished with the previous weights.
    EXPECT_LE(stage.counts.semaphores, 60u * (420 + 63 + 63));
    EXPECT_LE(stage.counts.locals, 60u * (64 + 4));
    EXPECT_EQ(stage.counts.relays + stage.counts.barriers, 0u);
    program.stages[0].work = std::move(stage.stage);
    EXPECT_EQ(firstProblem(program), "");
    EXPECT_LT(cyclesOf(program), cyclesOf(byHand));
  }
}

// A program in which more engines signal each of 64 tiles than a tile has semaphores.
TEST(ScheduledNetworks, ResNetIsProvedAndNoSlowerThanWithBarriers) {
  const Program byHand = *test::splitProgram(test::resNet50(64), *loadMachine("tr64"), 64, ElementType::i8);
  const uint64_t withBarriers = cyclesOf(byHand);
  for (const uint32_t semaphores : {64u, 256u}) {
    Program program = byHand;
    program.machine.tile.semaphores = semaphores;
    ScheduledStage stage = scheduled(program, OrderMode::listed);
    EXPECT_EQ(stage.counts.relays > 0, semaphores == 64);
    EXPECT_EQ(stage.counts.barriers, 0u);
    EXPECT_GT(stage.counts.implied, stage.counts.semaphores);
    program.stages[0].work = std::move(stage.stage);
    EXPECT_EQ(firstProblem(program), "");
    const uint64_t cycles = cyclesOf(program);
    EXPECT_EQ(cycles, stage.cycles);
    fmt::print(
        "resnet50, {} semaphores: {} cycles ({} as played), {} with barriers; {} dependencies, {} kept, "
        "{} implied, {} locals, {} waits, {} relays\n",
        semaphores, cycles, stage.order.cycles, withBarriers, stage.dependencies.total,
        stage.dependencies.total - stage.dependencies.thinned, stage.counts.implied, stage.counts.locals,
        stage.counts.semaphores, stage.counts.relays);
    EXPECT_LT(cycles, withBarriers);
  }
  for (const OrderMode mode : {OrderMode::interleaved, OrderMode::reordered}) {
    Program program = byHand;
    program.stages[0].work = scheduled(program, mode).stage;
    EXPECT_EQ(firstProblem(program), "");
  }
}

// Scheduling time is proportional to the number of tasks, not of pairs of tasks: 30,000 tasks on 64 tiles
// repeatedly multicast to all tiles over the same memory.
TEST(ScheduledNetworks, ManyTasksTakeTimeInProportion) {
  const auto tasksOf = [](uint32_t rounds) {
    const auto bytesAt = [](Space space, uint64_t base, uint32_t count) {
      return Stream{.space = space,
                    .type = ElementType::u8,
                    .base = base,
                    .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {count, 1}}}};
    };
    constexpr uint32_t part = 256;
    TaskList tasks;
    for (uint32_t round = 0; round < rounds; ++round) {
      const uint64_t from = round % 2 * 64 * part, to = (round + 1) % 2 * 64 * part;
      for (uint32_t tile = 0; tile < 64; ++tile)
        tasks.push_back({tile, Load{.source = bytesAt(Space::ddr, (round * 64 + tile) * part, part),
                                    .destination = bytesAt(Space::ocm, (1 << 17) + round % 3 * part, part)}});
      for (uint32_t tile = 0; tile < 64; ++tile) {
        tasks.push_back({tile, Binary{.a = bytesAt(Space::ocm, from + tile * part, part),
                                      .b = bytesAt(Space::ocm, (1 << 17) + round % 3 * part, part),
                                      .output = bytesAt(Space::ocm, 1 << 16, part)}});
        tasks.push_back({tile, Reduce{.input = bytesAt(Space::ocm, from, 64 * part),
                                      .output = bytesAt(Space::ocm, (1 << 16) + part, 1)}});
        tasks.push_back({tile, Multicast{.tiles = ~uint64_t{0},
                                         .source = bytesAt(Space::ocm, 1 << 16, part),
                                         .destination = bytesAt(Space::ocm, to + tile * part, part)}});
      }
    }
    return tasks;
  };
  const TaskList few = tasksOf(60), many = tasksOf(120);
  ASSERT_GT(many.size(), 30'000u);
  const Dependencies less = findDependencies(few, 64, {}), more = findDependencies(many, 64, {});
  EXPECT_GT(more.statistics.accesses, 500'000u);
  EXPECT_LT(more.statistics.comparisons, 2.2 * less.statistics.comparisons);
  EXPECT_LT(more.statistics.comparisons, 8 * more.statistics.accesses);
  EXPECT_LT(more.edges.size(), 2.2 * less.edges.size());
}

} // namespace
} // namespace tilerig
