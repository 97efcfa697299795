// Tests of the timeline, the computation of when each instruction begins and ends. An instruction without
// contention takes exactly its latency, competing instructions share resources fairly, and jitter changes
// nothing but times.
#include "isa/Timeline/Timeline.h"
#include "isa/Timing/Latency.h"
#include "tests/support/RandomInstruction.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilerig {
namespace {

using Code = std::vector<Instruction>;

Program programOf(const Machine &machine, std::vector<Code> tiles) {
  Program program;
  program.machine = machine;
  program.tiles = static_cast<unsigned>(tiles.size());
  for (Code &code : tiles)
    code.push_back(Halt{});
  program.stages.push_back({"main", Phase::inference, DeviceStage{std::move(tiles)}});
  return program;
}

uint64_t cyclesOf(const Program &program, const TimelineOptions &options = {}) {
  return timeStage(costsOfStage(program, 0), program, options).end;
}

Stream bytes(Space space, uint64_t base, uint32_t count) {
  Stream stream{.space = space, .base = base};
  for (Dimension &dim : stream.dims)
    dim = {1, 0};
  stream.dims[4] = {count, 1};
  return stream;
}
Instruction load(uint64_t from, uint64_t to, uint32_t count) {
  return Load{.source = bytes(Space::ddr, from, count), .destination = bytes(Space::ocm, to, count)};
}

TEST(Timeline, AnInstructionAloneTakesItsLatency) {
  const Machine machine = *loadMachine("tr64");
  test::Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const Instruction instruction = test::randomInstruction(random, {machine, 5, 64});
    if (isControl(instruction))
      continue;
    std::vector<Code> tiles(64);
    tiles[5] = {instruction};
    EXPECT_EQ(cyclesOf(programOf(machine, std::move(tiles))), latencyCycles(instruction, machine, 5))
        << round;
  }
}

TEST(Timeline, EnginesOfATileRunSideBySide) {
  const Machine machine = *loadMachine("tr64");
  const Instruction transfer = load(0, 0, 1 << 16);
  const Instruction fill = Fill{.output = bytes(Space::ocm, 1 << 17, 1 << 16)};
  const uint64_t alone = latencyCycles(transfer, machine, 0), other = latencyCycles(fill, machine, 0);
  EXPECT_EQ(cyclesOf(programOf(machine, {{transfer, fill}})), std::max(alone, other));
  // If a sync makes the fill wait for the transfer, the times of transfer and fill add up.
  const Instruction sync = Sync{.engine = Engine::pe, .on = Engine::dmaIn};
  EXPECT_EQ(cyclesOf(programOf(machine, {{transfer, sync, fill}})), alone + machine.sync.localCycles + other);
}

TEST(Timeline, ASignalTakesTheTimeOfItsRoute) {
  const Machine machine = *loadMachine("tr64");
  const Instruction fill = Fill{.output = bytes(Space::ocm, 0, 4096)};
  const uint64_t work = latencyCycles(fill, machine, 0);
  std::vector<Code> tiles(64);
  tiles[0] = {fill, Signal{.engine = Engine::pe, .tile = 63}};
  tiles[63] = {Wait{.engine = Engine::pe}, fill};
  EXPECT_EQ(cyclesOf(programOf(machine, std::move(tiles))), work + signalCycles(machine, 0, 63) + work);
}

TEST(Timeline, ABarrierHoldsAllUntilTheLast) {
  const Machine machine = *loadMachine("tr64");
  const Instruction shortFill = Fill{.output = bytes(Space::ocm, 0, 64)},
                    longFill = Fill{.output = bytes(Space::ocm, 0, 1 << 16)};
  std::vector<Code> tiles(4, {shortFill, GlobalBarrier{}, shortFill});
  tiles[2][0] = longFill;
  EXPECT_EQ(cyclesOf(programOf(machine, std::move(tiles))), latencyCycles(longFill, machine, 0) +
                                                                machine.sync.globalBarrierCycles +
                                                                latencyCycles(shortFill, machine, 0));
}

// The sixteen tiles of one row of routers share its DDR port, and all rows share the total bandwidth of DDR.
TEST(Timeline, DdrIsSharedNotMultiplied) {
  const Machine machine = *loadMachine("tr64");
  constexpr uint32_t count = 1 << 16;
  const auto together = [&](unsigned numTiles) {
    std::vector<Code> tiles(numTiles);
    for (unsigned tile = 0; tile < numTiles; ++tile)
      tiles[tile] = {load(uint64_t{tile} * count, 0, count)};
    return cyclesOf(programOf(machine, std::move(tiles)));
  };
  for (unsigned numTiles : {1u, 2u, 16u, 64u}) {
    const uint64_t rows = (numTiles + 15) / 16;
    const uint64_t perCycle1000 =
        std::min<uint64_t>(rows * machine.ddr.portBytesPerCycle * 1000, machine.ddr.totalBytesPer1000Cycles);
    const uint64_t bound = uint64_t{numTiles} * count * 1000 / perCycle1000;
    EXPECT_GE(together(numTiles), bound) << numTiles;
    EXPECT_LE(together(numTiles), bound + bound / 20 + 400) << numTiles;
  }
}

TEST(Timeline, AFullQueueHoldsTheSequencer) {
  Machine machine = *loadMachine("tr64");
  const Instruction fill = Fill{.output = bytes(Space::ocm, 0, 4096)};
  Code code(20, fill);
  code.push_back(Activate{.input = bytes(Space::ocm, 0, 64), .output = bytes(Space::ocm, 8192, 64)});
  const Program program = programOf(machine, {code});
  const Timeline timeline = timeStage(costsOfStage(program, 0), program, {});
  const ThreadId sequencer = threadOf(0, ThreadKind::sequencer);
  EXPECT_GT(timeline.stalled[sequencer][static_cast<size_t>(Stall::space)], 0u);
  EXPECT_EQ(timeline.steps[sequencer][8].end, timeline.steps[threadOf(0, ThreadKind::pe)][0].end);
}

TEST(Timeline, JitterStretchesAndIsTheSameForItsSeed) {
  const Machine machine = *loadMachine("tr64");
  const Program program =
      programOf(machine, {{load(0, 0, 5000), Sync{.engine = Engine::pe, .on = Engine::dmaIn},
                           Fill{.output = bytes(Space::ocm, 0, 4096)}}});
  const uint64_t plain = cyclesOf(program);
  std::vector<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const uint64_t cycles = cyclesOf(program, {.jitter = seed});
    EXPECT_EQ(cycles, cyclesOf(program, {.jitter = seed}));
    EXPECT_GE(cycles, plain);
    EXPECT_LE(cycles, 4 * plain);
    seen.push_back(cycles);
  }
  EXPECT_GT(std::ranges::max(seen), std::ranges::min(seen));
}

} // namespace
} // namespace tilerig
