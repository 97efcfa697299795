// Tests of the scheduler's order of tasks: small cases against orders worked out by hand, and random task
// lists against the rules of the order.
#include "compiler/Planning/Schedule/Order.h"

#include "isa/Timeline/Timeline.h"
#include "isa/Timing/Latency.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomTasks.h"
#include "tests/unit/Schedule/Orders.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

using test::bytesAt;

// Adds a layer of one tile: a load of weights from DDR, and an operation of the PE (vector engine) that reads
// them, standing in for a matrix product.
void addLayer(TaskList &tasks, uint64_t weightsFrom, uint64_t weightsAt, uint64_t from, uint64_t to,
              uint32_t bytes) {
  tasks.push_back({0, Load{.source = bytesAt(Space::ddr, weightsFrom, bytes),
                           .destination = bytesAt(Space::ocm, weightsAt, bytes)}});
  tasks.push_back({0, Binary{.a = bytesAt(Space::ocm, from, bytes),
                             .b = bytesAt(Space::ocm, weightsAt, bytes),
                             .output = bytesAt(Space::ocm, to, bytes)}});
}

TaskOrder orderOf(const TaskList &tasks, unsigned tiles, const Machine &machine,
                  OrderMode mode = OrderMode::interleaved) {
  return orderTasks(tasks, findDependencies(tasks, tiles, {}), machine, {.mode = mode});
}

constexpr uint32_t weights = 16 << 10;
constexpr uint64_t a = 512 << 10, b = 640 << 10;

TaskList layersWithWeightsAt(std::vector<uint64_t> places) {
  TaskList tasks;
  for (size_t i = 0; i < places.size(); ++i)
    addLayer(tasks, i * weights, places[i], i % 2 ? b : a, i % 2 ? a : b, weights);
  return tasks;
}

TEST(Order, LetsLoadsRunAhead) {
  const Machine machine = *loadMachine("tr64");
  const TaskList tasks = layersWithWeightsAt({0, 1 << 16, 2 << 16, 3 << 16});
  const TaskOrder order = orderOf(tasks, 1, machine);
  // Each load begins when the read phase of the load before it has ended; this phase includes DDR's latency.
  const uint64_t phase = machine.ddr.latencyCycles + weights / machine.ddr.portBytesPerCycle;
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(order.times[2 * i].start, i * phase);
  EXPECT_EQ(order.sequence, (std::vector<uint32_t>{0, 2, 1, 4, 3, 6, 5, 7}));
}

TEST(Order, LoadsRunAheadAsFarAsMemoryAllows) {
  const Machine machine = *loadMachine("tr64");
  const TaskList tasks = layersWithWeightsAt({0, 1 << 16, 0, 1 << 16});
  const TaskOrder order = orderOf(tasks, 1, machine);
  EXPECT_LT(order.times[2].start, order.times[1].start);
  EXPECT_EQ(order.times[4].start, order.times[1].end + machine.sync.localCycles);
  EXPECT_GE(order.times[6].start, order.times[3].end + machine.sync.localCycles);
}

TEST(Order, IssuesTheLongestPathFirst) {
  const Machine machine = *loadMachine("tr64");
  // Two loads without dependencies: the one listed last feeds a chain, the other a single task.
  TaskList tasks;
  addLayer(tasks, 0, 0, a, a + 3 * weights, weights);
  addLayer(tasks, 1 << 20, 1 << 16, a, b, weights);
  for (int i = 0; i < 4; ++i)
    tasks.push_back({0, Copy{.input = bytesAt(Space::ocm, i % 2 ? b + weights : b, weights),
                             .output = bytesAt(Space::ocm, i % 2 ? b : b + weights, weights)}});
  const TaskOrder order = orderOf(tasks, 1, machine, OrderMode::reordered),
                  listed = orderOf(tasks, 1, machine);
  EXPECT_EQ(order.sequence[0], 2u);
  EXPECT_EQ(listed.sequence[0], 0u);
  EXPECT_LT(order.times[3].start, listed.times[3].start);
}

// All tiles load at once: together they get the bandwidth of DDR, not the sum of their ports.
TEST(Order, SharesDdr) {
  const Machine machine = *loadMachine("tr64");
  constexpr unsigned tiles = 64;
  constexpr uint32_t bytes = 64 << 10;
  TaskList tasks;
  for (unsigned tile = 0; tile < tiles; ++tile)
    tasks.push_back({tile, Load{.source = bytesAt(Space::ddr, tile * bytes, bytes),
                                .destination = bytesAt(Space::ocm, 0, bytes)}});
  const uint64_t least = uint64_t{tiles} * bytes * 1000 / machine.ddr.totalBytesPer1000Cycles;
  const TaskOrder order = orderOf(tasks, tiles, machine);
  EXPECT_GE(order.cycles, least);
  EXPECT_LE(order.cycles, least + machine.ddr.latencyCycles + 100);
}

// Transfers of many sizes without dependencies that begin at once: only the sharing of bandwidth decides when
// they end. If the scheduler serves them chunk by chunk (`TransferSharing::roundRobin`), they end exactly
// when they do on the machine.
TaskList unlikeTransfers(unsigned tiles) {
  TaskList tasks;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const uint32_t bytes = 1000 + tile * 7919 % 50'000;
    tasks.push_back({tile, Load{.source = bytesAt(Space::ddr, tile * 65'536, bytes),
                                .destination = bytesAt(Space::ocm, 0, bytes)}});
    tasks.push_back({tile, Store{.source = bytesAt(Space::ocm, 65'536, bytes),
                                 .destination = bytesAt(Space::ddr, (64 + tile) * 65'536, bytes)}});
    tasks.push_back({tile, Load{.source = bytesAt(Space::remote, 131'072, bytes, (tile + 9) % tiles),
                                .destination = bytesAt(Space::ocm, 196'608, bytes)}});
  }
  return tasks;
}

TEST(Order, TransfersInChunksEndWhenTheyDoOnTheMachine) {
  const Machine machine = *loadMachine("tr64");
  constexpr unsigned tiles = 64;
  const TaskList tasks = unlikeTransfers(tiles);
  const Dependencies dependencies = findDependencies(tasks, tiles, {});
  ASSERT_TRUE(dependencies.edges.empty());
  const auto played = [&](TransferSharing sharing) {
    return orderTasks(tasks, dependencies, machine, {.mode = OrderMode::listed, .sharing = sharing});
  };
  const TaskOrder roundRobin = played(TransferSharing::roundRobin),
                  firstCome = played(TransferSharing::firstCome);
  auto scheduled = scheduleStage(tasks, machine, tiles, {});
  ASSERT_TRUE(scheduled) << scheduled.error().message();
  Program program;
  program.machine = machine;
  program.tiles = tiles;
  program.stages.push_back({"transfers", Phase::inference, std::move(scheduled->stage)});
  const Timeline timeline = timeStage(costsOfStage(program, 0), program, {});
  size_t unlike = 0;
  // For each engine, the number of its tasks that have ended.
  std::vector<uint32_t> ended(tiles * enginesPerTile);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const Engine engine = engineOf(tasks[task].instruction);
    const auto &steps = timeline.steps[threadOf(tasks[task].tile, finishKind(engine))];
    EXPECT_EQ(roundRobin.times[task].end, steps[ended[engineId(tasks[task])]++].end) << "task " << task;
    unlike += firstCome.times[task].end != roundRobin.times[task].end;
  }
  EXPECT_EQ(roundRobin.cycles, scheduled->cycles);
  EXPECT_GT(unlike, tasks.size() / 2);
}

// Two tiles with loads and nothing after them, and a third tile whose load is listed last but feeds a chain.
TaskList loadsOfUnlikeUrgency() {
  TaskList tasks;
  for (uint32_t tile = 0; tile < 2; ++tile)
    for (uint64_t i = 0; i < 3; ++i)
      tasks.push_back({tile, Load{.source = bytesAt(Space::ddr, (3 * tile + i) * weights, weights),
                                  .destination = bytesAt(Space::ocm, i * weights, weights)}});
  addLayer(tasks, 1 << 20, 0, a, b, weights);
  tasks[6].tile = tasks[7].tile = 2;
  return tasks;
}

// The number of loads among the first `numLoads` tasks that are in flight when one of them begins, at most.
uint32_t mostInFlight(const TaskOrder &order, uint32_t numLoads) {
  uint32_t most = 0;
  for (uint32_t at = 0; at < numLoads; ++at) {
    uint32_t inFlight = 0;
    for (uint32_t other = 0; other < numLoads; ++other)
      inFlight +=
          order.times[other].start <= order.times[at].start && order.times[at].start < order.times[other].end;
    most = std::max(most, inFlight);
  }
  return most;
}

TEST(Order, LetsFewReadsOfDdrThroughAtATime) {
  const Machine machine = *loadMachine("tr64");
  const TaskList tasks = loadsOfUnlikeUrgency();
  const Dependencies dependencies = findDependencies(tasks, 3, {});
  for (const uint32_t few : {1u, 2u, 3u}) {
    const TaskOrder order = orderTasks(tasks, dependencies, machine,
                                       {.mode = OrderMode::reordered, .ddrReads = {.transfers = few}});
    EXPECT_EQ(order.sequence[0], 6u) << "the one with most behind it";
    EXPECT_LE(mostInFlight(order, 7), few);
    for (const TaskPair &edge : order.transferEdges) {
      EXPECT_GT(order.times[edge.after].start, order.times[edge.before].end);
      EXPECT_NE(tasks[edge.before].tile, tasks[edge.after].tile);
    }
    EXPECT_FALSE(order.transferEdges.empty());
  }
  EXPECT_TRUE(orderTasks(tasks, dependencies, machine, {.mode = OrderMode::reordered}).transferEdges.empty());
}

TEST(Order, LetsFewBytesOfReadsThroughButAlwaysSomeTransfers) {
  const Machine machine = *loadMachine("tr64");
  const TaskList tasks = loadsOfUnlikeUrgency();
  const Dependencies dependencies = findDependencies(tasks, 3, {});
  const auto inFlight = [&](const MostInFlight &reads) {
    return mostInFlight(
        orderTasks(tasks, dependencies, machine, {.mode = OrderMode::reordered, .ddrReads = reads}), 7);
  };
  EXPECT_EQ(inFlight({}), 3u) << "one for each tile";
  EXPECT_EQ(inFlight({.bytes = 2 * weights + 1}), 3u);
  EXPECT_EQ(inFlight({.bytes = 2 * weights}), 2u);
  EXPECT_EQ(inFlight({.bytes = weights}), 1u);
  EXPECT_EQ(inFlight({.bytes = 1}), 1u) << "one that has more bytes than allowed";
  EXPECT_EQ(inFlight({.bytes = 1, .always = 2}), 2u);
  EXPECT_EQ(inFlight({.transfers = 1, .bytes = 1, .always = 2}), 1u);
}

TEST(Order, TilesOfAllPortsTakeTurns) {
  const Machine machine = *loadMachine("tr64");
  const unsigned ports = numPorts(machine.network);
  TaskList tasks; // the same load on every tile, so that all are equally urgent
  for (uint32_t tile = 0; tile < 64; ++tile)
    tasks.push_back({tile, Load{.source = bytesAt(Space::ddr, tile * weights, weights),
                                .destination = bytesAt(Space::ocm, 0, weights)}});
  const Dependencies dependencies = findDependencies(tasks, 64, {});
  const TaskOrder order = orderTasks(tasks, dependencies, machine,
                                     {.mode = OrderMode::reordered, .ddrReads = {.transfers = ports}});
  for (size_t first = 0; first < tasks.size(); first += ports) {
    uint32_t used = 0;
    for (size_t i = first; i < first + ports; ++i)
      used |= 1u << portOf(machine.network, tasks[order.sequence[i]].tile);
    EXPECT_EQ(used, (1u << ports) - 1) << first;
  }
}

TEST(Order, LetsFewBytesOfWritesThroughAtATime) {
  const Machine machine = *loadMachine("tr64");
  TaskList tasks;
  uint64_t at = 0;
  for (uint32_t tile = 0; tile < 12; ++tile)
    for (const uint64_t size : {uint64_t{256} << tile % 5, uint64_t{4096}}) {
      tasks.push_back({tile, Store{.source = bytesAt(Space::ocm, 0, size),
                                   .destination = bytesAt(Space::ddr, at, size)}});
      tasks.back().isPatient = true;
      at += size;
    }
  const auto bytesOf = [&](uint32_t task) {
    return task % 2 == 0 ? uint64_t{256} << task / 2 % 5 : uint64_t{4096};
  };
  const Dependencies dependencies = findDependencies(tasks, 12, {});
  for (const uint64_t most : {1u, 3000u, 10000u}) {
    const TaskOrder order = orderTasks(tasks, dependencies, machine,
                                       {.mode = OrderMode::reordered, .ddrWrites = {.bytes = most}});
    ASSERT_EQ(order.sequence.size(), tasks.size());
    for (size_t now = 0; now < tasks.size(); ++now) {
      // Bytes of all transfers that have not ended when transfer `now` begins.
      uint64_t bytes = 0;
      for (size_t before = 0; before < now; ++before)
        if (order.times[order.sequence[now]].start < order.times[order.sequence[before]].end)
          bytes += bytesOf(order.sequence[before]);
      EXPECT_LT(bytes, most);
    }
    EXPECT_FALSE(order.transferEdges.empty());
  }
  EXPECT_TRUE(
      orderTasks(tasks, dependencies, machine, {.mode = OrderMode::reordered, .ddrReads = {.transfers = 1}})
          .transferEdges.empty());

  for (Task &task : tasks)
    task.isPatient = false;
  EXPECT_TRUE(
      orderTasks(tasks, dependencies, machine, {.mode = OrderMode::reordered, .ddrWrites = {.bytes = 1}})
          .transferEdges.empty());
}

TEST(Order, KeepsMarkersAndDelaysBesideTheirTasks) {
  const Machine machine = *loadMachine("tr64");
  TaskList tasks = layersWithWeightsAt({0, 1 << 16, 2 << 16});
  const auto marker = [](Engine engine, MarkerKind kind, uint32_t id) {
    return Task{0, Marker{.engine = engine, .kind = kind, .id = id}};
  };
  // The numbers on the right are the indices in `tasks` at which the lines insert their tasks.
  tasks.push_back(marker(Engine::pe, MarkerKind::layerBegin, 0));                        // 6
  tasks.insert(tasks.begin() + 5, marker(Engine::pe, MarkerKind::layerBegin, 1));        // 5
  tasks.insert(tasks.begin() + 5, Task{0, Delay{.engine = Engine::dmaIn, .cycles = 9}}); // 5
  tasks.insert(tasks.begin() + 2, marker(Engine::pe, MarkerKind::layerEnd, 2));          // 2
  tasks.insert(tasks.begin() + 2, marker(Engine::dmaIn, MarkerKind::layerBegin, 3));     // 2
  tasks.push_back({1, Delay{.engine = Engine::pod, .cycles = 1}});
  // The list of tasks is then: 0 load, 1 binary, 2 begin dma_in, 3 end pe, 4 load, 5 binary, 6 load, 7 delay
  // dma_in, 8 begin pe, 9 binary, 10 begin pe, 11 delay on a tile without other tasks.
  const std::vector<uint32_t> sequence = orderOf(tasks, 2, machine).sequence;
  EXPECT_EQ(sequence, (std::vector<uint32_t>{0, 2, 4, 1, 3, 6, 7, 5, 8, 9, 10, 11}));
}

void expectSound(const test::RandomTasks &random, const Dependencies &dependencies, const TaskOrder &order) {
  const std::vector<EngineId> engines = enginesOf(random.tasks);
  std::vector<uint64_t> last(random.tiles * enginesPerTile);
  uint64_t now = 0;
  for (const uint32_t task : order.sequence) {
    if (engines[task] == noEngine)
      continue;
    const TaskTime time = order.times[task];
    EXPECT_GE(time.start, now) << "sorted by their beginning";
    now = time.start;
    EXPECT_GE(time.end, time.start + latencyCycles(random.tasks[task].instruction, random.machine,
                                                   random.tasks[task].tile));
    if (!isDma(engineOfId(engines[task]))) {
      EXPECT_GE(time.start, last[engines[task]]);
    }
    EXPECT_GE(time.end, last[engines[task]]);
    last[engines[task]] = time.end;
    for (const Dependency &edge : dependencies.of(task))
      EXPECT_GE(time.start, needsEnd(edge, engines[edge.before], engines[task])
                                ? order.times[edge.before].end
                                : order.times[edge.before].start);
  }
}

bool enginesKeepTheList(const test::RandomTasks &random, const TaskOrder &order) {
  const std::vector<EngineId> engines = enginesOf(random.tasks);
  std::vector<uint32_t> last(random.tiles * enginesPerTile);
  for (const uint32_t task : order.sequence)
    if (engines[task] != noEngine && std::exchange(last[engines[task]], task) > task)
      return false;
  return true;
}

TEST(Order, OfRandomTasksRespectsDependencies) {
  const Machine tiny = *loadMachine("tiny"), tr64 = *loadMachine("tr64");
  uint64_t moved = 0, reordered = 0;
  for (uint64_t seed = 0; seed < test::rounds(60); ++seed) {
    const bool isTiny = seed % 2 == 0;
    const unsigned tiles = isTiny ? 1 + seed / 2 % 4 : 64;
    const test::RandomTasks random =
        test::randomTasks(seed, isTiny ? tiny : tr64, tiles, {.numWorks = 200, .percentControl = 5});
    const Dependencies dependencies = findDependencies(random.tasks, tiles, {});
    for (const OrderMode mode : {OrderMode::interleaved, OrderMode::reordered}) {
      const OrderOptions options{.mode = mode, .sharing = test::allSharings[seed / 2 % 2]};
      const TaskOrder order = orderTasks(random.tasks, dependencies, random.machine, options);
      ASSERT_TRUE(verifyOrder(dependencies, order.sequence));
      EXPECT_EQ(order.sequence, orderTasks(random.tasks, dependencies, random.machine, options).sequence);
      expectSound(random, dependencies, order);
      moved += !std::ranges::is_sorted(order.sequence);
      reordered += !enginesKeepTheList(random, order);
      EXPECT_TRUE(mode == OrderMode::reordered || enginesKeepTheList(random, order));
    }
    const TaskOrder listed =
        orderTasks(random.tasks, dependencies, random.machine, {.mode = OrderMode::listed});
    EXPECT_TRUE(std::ranges::is_sorted(listed.sequence));
    EXPECT_EQ(listed.sequence.size(), random.tasks.size());
  }
  EXPECT_GT(moved, test::rounds(100));
  EXPECT_GT(reordered, test::rounds(40));
}

TEST(Order, IsVerified) {
  TaskList tasks = layersWithWeightsAt({0, 0});
  const Dependencies dependencies = findDependencies(tasks, 1, {});
  using Sequence = std::vector<uint32_t>;
  EXPECT_TRUE(verifyOrder(dependencies, Sequence{0, 1, 2, 3}));
  EXPECT_FALSE(verifyOrder(dependencies, Sequence{0, 2, 1, 3}));
  EXPECT_FALSE(verifyOrder(dependencies, Sequence{0, 1, 2}));
  EXPECT_FALSE(verifyOrder(dependencies, Sequence{0, 1, 2, 2}));
  EXPECT_FALSE(verifyOrder(dependencies, Sequence{0, 1, 2, 4}));
}

} // namespace
} // namespace tilerig
