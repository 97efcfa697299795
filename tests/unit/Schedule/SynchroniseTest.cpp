// Tests of synchronisation: the resulting stages are proved free of races, need every synchronisation in
// them, and compute what the task list says.

#include "emulator/Observe/TimedRun.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomTasks.h"
#include "tests/unit/Schedule/Orders.h"
#include "tests/unit/Schedule/WithoutOne.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

namespace tilerig {
using namespace compiler;
using namespace emulator;
namespace {

using test::allModes;
using test::allSharings;
using test::bytesAt;
using test::firstProblem;

ScheduledStage scheduled(const test::RandomTasks &random, OrderMode mode = OrderMode::reordered,
                         TransferSharing sharing = TransferSharing::firstCome) {
  auto stage = scheduleStage(random.tasks, random.machine, random.tiles,
                             {.order = {.mode = mode, .sharing = sharing}});
  EXPECT_TRUE(stage) << stage.error().message();
  return *std::move(stage);
}

void expectCountsAdd(const SyncCounts &counts) {
  EXPECT_EQ(counts.edges, counts.sameEngine + counts.implied + counts.locals + counts.semaphores);
}

template <class T>
uint64_t countOf(const DeviceStage &stage) {
  uint64_t count = 0;
  for (const auto &code : stage.tiles)
    for (const Instruction &instruction : code)
      count += std::holds_alternative<T>(instruction);
  return count;
}

// Random tasks on machines with few and many tiles, few semaphores and short queues.
test::RandomTasks randomOf(uint64_t seed) {
  static const Machine tiny = *loadMachine("tiny"), tr64 = *loadMachine("tr64");
  test::Random random(seed);
  const bool isTiny = random.chance(60);
  Machine machine = isTiny ? tiny : tr64;
  machine.tile.queueDepth = random.pick({1u, 2u, 3u, 8u});
  const auto tiles = static_cast<unsigned>(random.between(1, isTiny ? 4 : 20));
  return test::randomTasks(seed, machine, tiles,
                           {.numWorks = static_cast<unsigned>(random.between(5, 120)),
                            .percentTransfers = random.pick({20u, 50u, 90u}),
                            .reachBytes = random.pick({1u << 10, 1u << 12, 1u << 13}),
                            .percentControl = random.chance(30) ? 10u : 0u});
}

TEST(Synchronise, StagesAreProvedAndNothingIsRedundant) {
  SyncCounts sum;
  for (uint64_t seed = 0; seed < test::rounds(400); ++seed) {
    const test::RandomTasks random = randomOf(seed);
    for (const OrderMode mode : allModes) {
      ScheduledStage stage = scheduled(random, mode, allSharings[seed % 2]);
      expectCountsAdd(stage.counts);
      EXPECT_EQ(countOf<Sync>(stage.stage), stage.counts.locals + stage.counts.relays);
      EXPECT_EQ(countOf<Wait>(stage.stage), stage.counts.semaphores);
      EXPECT_EQ(countOf<Signal>(stage.stage), stage.counts.signals);
      EXPECT_EQ(stage.counts.relays + stage.counts.barriers, 0u);
      sum.implied += stage.counts.implied, sum.locals += stage.counts.locals;
      sum.semaphores += stage.counts.semaphores;
      const Program program = random.programOf(std::move(stage.stage));
      ASSERT_EQ(firstProblem(program), "") << "seed " << seed;
      EXPECT_EQ(stage.cycles, timeProgram(program, {}).stages.at(0).cycles) << "seed " << seed;
      const RedundantSyncs redundant = redundantSyncs(program);
      EXPECT_EQ(redundant.syncs.size() + redundant.waits.size() + redundant.signals.size(), 0u)
          << "seed " << seed;
    }
  }
  EXPECT_GT(std::min({sum.implied, sum.locals, sum.semaphores}), test::rounds(1000));
}

// With Redundancy::kept, redundant synchronisations stay in the stage. It is still proved free of races, and
// the analyser reports these synchronisations as redundant.
TEST(Synchronise, KeptRedundancyIsProvedAndRedundant) {
  uint64_t needless = 0, removed = 0;
  for (uint64_t seed = 0; seed < test::rounds(150); ++seed) {
    const test::RandomTasks random = randomOf(seed);
    auto kept = scheduleStage(random.tasks, random.machine, random.tiles, {.redundancy = Redundancy::kept});
    ASSERT_TRUE(kept) << kept.error().message();
    expectCountsAdd(kept->counts);
    const SyncCounts least = scheduleStage(random.tasks, random.machine, random.tiles)->counts;
    EXPECT_EQ(kept->counts.implied, 0u);
    EXPECT_EQ(kept->counts.after(), least.before());
    EXPECT_EQ(kept->counts.after() - least.after(), least.implied);
    removed += least.implied;
    const Program program = random.programOf(std::move(kept->stage));
    ASSERT_EQ(firstProblem(program), "") << "seed " << seed;
    const RedundantSyncs redundant = redundantSyncs(program);
    needless += redundant.syncs.size() + redundant.waits.size();
  }
  // The analyser reads instructions forwards. It therefore does not report a wait that is redundant only
  // because of a later wait of the same task.
  EXPECT_GT(needless, removed / 2);
  EXPECT_GT(removed, test::rounds(1000));
}

// Removing any single synchronisation causes a race. The queues are deep, because a full queue would also
// keep instructions in order.
TEST(Synchronise, RemovingAnyOneCausesARace) {
  uint64_t tried = 0;
  for (uint64_t seed = 0; seed < test::rounds(150); ++seed) {
    test::RandomTasks random = randomOf(seed);
    if (random.tasks.size() > 60)
      continue;
    random.machine.tile.queueDepth = 255;
    Program program = random.programOf(scheduled(random).stage);
    ASSERT_EQ(firstProblem(program), "") << "seed " << seed;
    const DeviceStage whole = std::get<DeviceStage>(program.stages[0].work);
    for (unsigned tile = 0; tile < random.tiles; ++tile)
      for (const size_t index : test::synchronisationsOf(whole.tiles[tile])) {
        program.stages[0].work = test::withoutOne(whole, tile, index);
        const Analysis analysis = analyse(program);
        ASSERT_GT(analysis.count(ProblemKind::race), 0u)
            << "seed " << seed << ", tile " << tile << ", instruction " << index << " "
            << mnemonicOf(whole.tiles[tile][index]);
        ++tried;
      }
  }
  EXPECT_GT(tried, test::rounds(1000));
}

TensorMap outputsOf(const test::RandomTasks &random, DeviceStage stage) {
  Program program = random.programOf(std::move(stage));
  const Status proved = prove(program);
  EXPECT_TRUE(proved) << proved.error().message();
  auto session = Session::load(std::move(program), {.threads = 2});
  EXPECT_TRUE(session) << session.error().message();
  auto outputs = (*session)->run(random.inputs);
  EXPECT_TRUE(outputs) << outputs.error().message();
  return *std::move(outputs);
}

// Runs one task after another with a global barrier between any two, so that nothing depends on order or
// synchronisation.
DeviceStage oneByOne(const test::RandomTasks &random) {
  DeviceStage stage;
  stage.tiles.resize(random.tiles);
  for (const Task &task : random.tasks) {
    stage.tiles[task.tile].push_back(task.instruction);
    for (auto &code : stage.tiles)
      code.push_back(GlobalBarrier{});
  }
  for (auto &code : stage.tiles)
    code.push_back(Halt{});
  return stage;
}

TEST(Synchronise, MemoryIsTheSameAsOneByOne) {
  for (uint64_t seed = 1000; seed < 1000 + test::rounds(80); ++seed) {
    const test::RandomTasks random = randomOf(seed);
    const TensorMap expected = outputsOf(random, oneByOne(random));
    for (const OrderMode mode : allModes) {
      const TensorMap got = outputsOf(random, scheduled(random, mode).stage);
      for (const NamedTensor &tensor : expected) {
        ASSERT_TRUE(got.find(tensor.name));
        ASSERT_TRUE(identical(tensor.tensor, *got.find(tensor.name)))
            << "seed " << seed << ", " << tensor.name;
      }
    }
  }
}

TEST(Synchronise, IsTheSameEveryTime) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const test::RandomTasks random = randomOf(seed);
    EXPECT_EQ(scheduled(random).stage.tiles, scheduled(random).stage.tiles);
  }
}

// Tests on machines with fewer semaphores than pairs of engines that wait for each other.

TEST(Synchronise, FewSemaphoresAreEnough) {
  SyncCounts sum;
  for (uint64_t seed = 0; seed < test::rounds(120); ++seed) {
    test::RandomTasks random = randomOf(seed);
    random.machine.tile.semaphores = static_cast<uint32_t>(1 + seed % 6);
    random.machine.name = "few-semaphores";
    ScheduledStage stage = scheduled(random);
    expectCountsAdd(stage.counts);
    sum.relays += stage.counts.relays, sum.barriers += stage.counts.barriers;
    ASSERT_EQ(firstProblem(random.programOf(std::move(stage.stage))), "") << "seed " << seed;
  }
  EXPECT_GT(sum.relays, test::rounds(100));
  EXPECT_GT(sum.barriers, test::rounds(100));
}

// All-to-all from two engines per tile: 126 engines send something to every tile, more than it has
// semaphores.
TEST(Synchronise, AllToAllOfTwoEnginesGoesThroughRelays) {
  const Machine machine = *loadMachine("tr64");
  constexpr unsigned tiles = 64;
  constexpr uint32_t part = 64;
  TaskList tasks;
  const auto add = [&](unsigned tile, Instruction instruction) {
    tasks.push_back({tile, std::move(instruction)});
  };
  for (uint32_t round = 0; round < 3; ++round) {
    for (unsigned tile = 0; tile < tiles; ++tile) {
      add(tile, Multicast{.tiles = ~uint64_t{0},
                          .source = bytesAt(Space::ddr, tile * part, part),
                          .destination = bytesAt(Space::ocm, (64 + tile) * part, part)});
      if (round == 0)
        add(tile, Fill{.output = bytesAt(Space::ocm, 1 << 16, part)});
      add(tile, Multicast{.tiles = ~uint64_t{0} & ~(uint64_t{1} << tile),
                          .source = bytesAt(Space::ocm, 1 << 16, part),
                          .destination = bytesAt(Space::ocm, tile * part, part)});
    }
    for (unsigned tile = 0; tile < tiles; ++tile) {
      add(tile, Fill{.output = bytesAt(Space::ocm, tile * part, part)});
      add(tile, Copy{.input = bytesAt(Space::ocm, 0, 128 * part),
                     .output = bytesAt(Space::ocm, 1 << 17, 128 * part)});
      add(tile,
          Copy{.input = bytesAt(Space::ocm, 1 << 17, part), .output = bytesAt(Space::ocm, 1 << 16, part)});
    }
  }
  const auto stage = scheduleStage(tasks, machine, tiles);
  ASSERT_TRUE(stage) << stage.error().message();
  EXPECT_EQ(stage->counts.barriers, 0u);
  EXPECT_GT(stage->counts.relays, 0u);
  // Each tile receives 128 parts in each of 3 rounds: about one wait for every part, and few others.
  EXPECT_LT(stage->counts.semaphores, 3u * tiles * 128);
  Program program;
  program.machine = machine;
  program.tiles = tiles;
  program.stages.push_back({"all to all", Phase::inference, stage->stage});
  auto bytes = std::make_shared<std::vector<std::byte>>(tiles * part);
  program.constants.push_back({0, *bytes, bytes});
  EXPECT_EQ(firstProblem(program), "");
}

// Tests of which synchronisation instructions the scheduler chooses, worked out by hand.

Task loadOf(unsigned tile, uint64_t from, uint64_t to) {
  return {
      tile,
      Load{.layer = 1, .source = bytesAt(Space::ddr, from, 64), .destination = bytesAt(Space::ocm, to, 64)}};
}
Task copyOf(unsigned tile, uint64_t from, uint64_t to) {
  return {tile,
          Copy{.layer = 2, .input = bytesAt(Space::ocm, from, 64), .output = bytesAt(Space::ocm, to, 64)}};
}
Task sendOf(unsigned tile, unsigned other, uint64_t from, uint64_t to) {
  return {tile, Store{.layer = 3,
                      .source = bytesAt(Space::ocm, from, 64),
                      .destination = bytesAt(Space::remote, to, 64, other)}};
}
std::vector<std::vector<Instruction>> codeOf(const TaskList &tasks, unsigned tiles, Machine machine) {
  auto stage = scheduleStage(tasks, machine, tiles, {.order = {.mode = OrderMode::listed}});
  EXPECT_TRUE(stage) << stage.error().message();
  return stage->stage.tiles;
}
using Code = std::vector<Instruction>;

TEST(Synchronise, UsesSyncsWithinATileWithWhatIsPending) {
  const TaskList tasks = {loadOf(0, 0, 0), loadOf(0, 64, 64), loadOf(0, 128, 128), copyOf(0, 64, 256),
                          copyOf(0, 0, 320)};
  const Code expected = {
      tasks[0].instruction, tasks[1].instruction, tasks[2].instruction,
      Sync{.layer = 2, .engine = Engine::pe, .on = Engine::dmaIn, .pending = 1}, tasks[3].instruction,
      // The second copy reads what load 0 wrote. It needs no sync, because the sync before the first copy
      // waits for load 1, which ends after load 0.
      tasks[4].instruction, Halt{.layer = 2}};
  EXPECT_EQ(codeOf(tasks, 1, *loadMachine("tiny"))[0], expected);
}

TEST(Synchronise, UsesOneSignalForAllEnginesOfATile) {
  const TaskList tasks = {
      copyOf(0, 0, 64),
      sendOf(0, 1, 64, 0),
      copyOf(1, 0, 128),
      {1,
       Store{.layer = 5, .source = bytesAt(Space::ocm, 0, 64), .destination = bytesAt(Space::ddr, 0, 64)}}};
  const auto code = codeOf(tasks, 2, *loadMachine("tiny"));
  EXPECT_EQ(code[0], (Code{tasks[0].instruction, Sync{.layer = 3, .engine = Engine::dmaOut, .on = Engine::pe},
                           tasks[1].instruction,
                           Signal{.layer = 3, .engine = Engine::dmaOut, .tile = 1, .semaphore = 0},
                           Halt{.layer = 3}}));
  EXPECT_EQ(code[1],
            (Code{Wait{.layer = 2, .engine = Engine::pe, .semaphore = 0, .value = 1}, tasks[2].instruction,
                  Wait{.layer = 5, .engine = Engine::dmaOut, .semaphore = 0, .value = 1},
                  tasks[3].instruction, Halt{.layer = 5}}));
}

// A DMA engine that reads what it has written waits for itself through a semaphore of its own tile. If no
// semaphore is left, the tile's sequencer waits for the engine instead.
TEST(Synchronise, LetsADmaEngineWaitForItself) {
  const TaskList tasks = {
      {0, Store{.layer = 1, .source = bytesAt(Space::ocm, 0, 64), .destination = bytesAt(Space::ddr, 0, 64)}},
      {0,
       Store{.layer = 2, .source = bytesAt(Space::ocm, 0, 64), .destination = bytesAt(Space::ocm, 64, 64)}},
      {0,
       Store{.layer = 3, .source = bytesAt(Space::ocm, 64, 64), .destination = bytesAt(Space::ddr, 64, 64)}}};
  Machine machine = *loadMachine("tiny");
  EXPECT_EQ(codeOf(tasks, 1, machine)[0],
            (Code{tasks[0].instruction, tasks[1].instruction,
                  Signal{.layer = 2, .engine = Engine::dmaOut, .tile = 0, .semaphore = 0},
                  Wait{.layer = 3, .engine = Engine::dmaOut, .semaphore = 0, .value = 1},
                  tasks[2].instruction, Halt{.layer = 3}}));
  // Two tiles with one semaphore each; tile 0 needs its semaphore for data from tile 1.
  machine.tile.semaphores = 1;
  TaskList more = tasks;
  more.push_back(sendOf(1, 0, 0, 128));
  more.push_back(copyOf(0, 128, 192));
  EXPECT_EQ(codeOf(more, 2, machine)[0],
            (Code{tasks[0].instruction, tasks[1].instruction,
                  Sync{.layer = 3, .engine = Engine::sequencer, .on = Engine::dmaOut}, tasks[2].instruction,
                  Wait{.layer = 2, .engine = Engine::pe, .semaphore = 0, .value = 1}, more[4].instruction,
                  Halt{.layer = 2}}));
}

TEST(Synchronise, UsesOrderImpliedThroughOtherTiles) {
  // Tile 0 sends to 1, 1 to 2, 2 to 3, and 3 overwrites what 0 has read: the order of 0 and 3 is implied by
  // the chain, without a signal from 0 to 3.
  const TaskList tasks = {copyOf(0, 0, 64), sendOf(0, 1, 64, 0), sendOf(1, 2, 0, 0), sendOf(2, 3, 0, 0),
                          sendOf(3, 0, 0, 0)};
  auto stage = scheduleStage(tasks, *loadMachine("tiny"), 4);
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->counts.semaphores, 3u);
  EXPECT_EQ(stage->counts.locals, 1u);
  EXPECT_EQ(stage->counts.implied, 1u);
}

TEST(Synchronise, RefusesInstructionsThatAreNoTasks) {
  const Machine machine = *loadMachine("tiny");
  for (const Instruction &instruction :
       {Instruction(Halt{}), Instruction(Sync{}), Instruction(Signal{}), Instruction(Wait{}),
        Instruction(GlobalBarrier{}), Instruction(GroupBarrier{})})
    EXPECT_FALSE(scheduleStage({{0, instruction}}, machine, 1));
  EXPECT_FALSE(scheduleStage({loadOf(1, 0, 0)}, machine, 1));
  EXPECT_TRUE(scheduleStage({loadOf(0, 0, 0)}, machine, 1));
  const auto empty = scheduleStage({}, machine, 2);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->stage.tiles, (std::vector<Code>{{Halt{}}, {Halt{}}}));
}

} // namespace
} // namespace tilerig
