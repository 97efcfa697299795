// Properties of the analyser that must hold for any program, small or large.

#include "isa/Analyser/Analyser.h"
#include "isa/Analyser/Initialised.h"
#include "isa/Analyser/LiveAccesses.h"
#include "isa/Analyser/Order.h"
#include "isa/Analyser/Races.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"
#include "tests/benchmarks/ResNetProgram.h"
#include "tests/support/Effort.h"
#include "tests/unit/Analyser/Build.h"
#include "tests/unit/Analyser/RandomPrograms.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tilerig {
namespace {

using namespace test;

constexpr AnalyserOptions keepAll = {.keptPerKind = 1'000'000};

// The problems of the given kinds, as a multiset that does not depend on their order.
std::multiset<std::string> verdictOf(const Program &program, std::initializer_list<ProblemKind> kinds) {
  std::multiset<std::string> texts;
  for (const Problem &problem : analyse(program, keepAll).problems)
    if (std::ranges::find(kinds, problem.kind) != kinds.end())
      texts.insert(describe(problem, program));
  return texts;
}

// The quick race check discards old accesses. It agrees with a check of every pair of accesses, on programs
// with many accesses to discard.
TEST(Properties, QuickAndExhaustiveRaceChecksAgree) {
  size_t racy = 0, free = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const RandomProgram random = largeRandomProgram(seed, 250);
    const uint32_t last = static_cast<uint32_t>(random.program.stages.size()) - 1;
    Report report(0);
    StageThreads stage = layOutStage(random.program, last, true);
    matchSemaphores(random.program, stage, report);
    matchBarriers(random.program, stage, report);
    const Order order(stage);
    const Constants constants(random.program);
    std::vector<uint32_t> ended;
    for (ThreadId thread = 0; thread < stage.numThreads(); ++thread)
      ended.push_back(order.ended(thread));
    LiveAccesses live(stage, order.clocks(), ended);
    bool quick = true;
    for (const Event &step : order.accessingSteps()) {
      const unsigned tile = tileOfThread(step.thread);
      AccessList accesses;
      appendAccesses(
          std::get<DeviceStage>(random.program.stages[last].work).tiles[tile][stage.step(step).instruction],
          tile, accesses);
      for (const Access &access : accesses)
        if (takesPart(kindOf(step.thread), access.kind) &&
            !(access.memory == ddrMemory && constants.contains(access.region.bounds())))
          quick = quick && live.add(step, access);
      live.finish(step);
    }
    reportRaces(random.program, stage, order, constants, initialisedBefore(random.program, constants, last),
                report);
    const bool thorough = report.counts[static_cast<size_t>(ProblemKind::race)] == 0;
    ASSERT_EQ(quick, thorough) << "seed " << seed;
    if (random.making == Making::ordered) {
      ASSERT_TRUE(thorough) << "seed " << seed;
    }
    ++(thorough ? free : racy);
  }
  EXPECT_GT(free, 10u);
  EXPECT_GT(racy, 10u);
}

TEST(Properties, AnalysisIsDeterministic) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = randomProgram(seed).program;
    const Analysis first = analyse(program), second = analyse(program);
    EXPECT_EQ(first.problems, second.problems);
    EXPECT_EQ(first.wide, second.wide);
    EXPECT_EQ(first.statistics, second.statistics);
  }
}

// Renumbers the tiles of a program.
class Renaming {
public:
  explicit Renaming(std::vector<unsigned> newNames) : names(std::move(newNames)) {}

  Program operator()(Program program) const {
    for (Stage &stage : program.stages) {
      auto &tiles = std::get<DeviceStage>(stage.work).tiles;
      std::vector<Code> renamed(tiles.size());
      for (size_t tile = 0; tile < tiles.size(); ++tile) {
        for (Instruction &instruction : tiles[tile])
          std::visit([&](auto &typed) { rename(typed); }, instruction);
        renamed[names[tile]] = std::move(tiles[tile]);
      }
      tiles = std::move(renamed);
    }
    return program;
  }
  uint8_t operator()(unsigned tile) const { return static_cast<uint8_t>(names[tile]); }

private:
  template <class T>
  void rename(T &) const {}
  void rename(Signal &signal) const { signal.tile = (*this)(signal.tile); }
  void rename(GroupBarrier &barrier) const { barrier.tiles = renamed(barrier.tiles); }
  void rename(Multicast &multicast) const { multicast.tiles = renamed(multicast.tiles); }
  void rename(Load &load) const { renameStream(load.source); }
  void rename(Store &store) const { renameStream(store.destination); }
  void renameStream(Stream &stream) const {
    if (stream.space == Space::remote)
      stream.tile = (*this)(stream.tile);
  }
  uint64_t renamed(uint64_t tiles) const {
    uint64_t result = 0;
    for (unsigned tile = 0; tile < names.size(); ++tile)
      result |= (tiles >> tile & 1) << names[tile];
    return result;
  }

  std::vector<unsigned> names;
};

// Kinds of problems that have several equally right places, of which the analyser reports any one, so that
// the places cannot be compared. For example, a deadlock may be reported at any instruction of its cycle, and
// a left-over semaphore at any of its last signals.
constexpr auto anywhere = {ProblemKind::deadlock, ProblemKind::barrierMismatch,
                           ProblemKind::semaphoreLeftOver, ProblemKind::semaphoreOverflow};

using RaceKey = std::set<std::tuple<unsigned, unsigned, std::string>>;
std::multiset<std::pair<ProblemKind, RaceKey>> placesOf(const Program &program,
                                                        const std::function<unsigned(unsigned)> &name) {
  std::multiset<std::pair<ProblemKind, RaceKey>> result;
  for (const Problem &problem : analyse(program, keepAll).problems) {
    if (std::ranges::find(anywhere, problem.kind) != anywhere.end()) {
      result.insert({problem.kind, {}});
      continue;
    }
    RaceKey places;
    for (const Place &place : problem.places)
      places.insert({name(place.tile), place.instruction, std::string(place.operand)});
    result.insert({problem.kind, places});
  }
  return result;
}

TEST(Properties, NamesOfTilesDoNotMatter) {
  for (uint64_t seed = 0; seed < test::rounds(2000); ++seed) {
    const Program program = randomProgram(seed).program;
    Random random(seed);
    std::vector<unsigned> names(program.tiles);
    std::iota(names.begin(), names.end(), 0);
    random.shuffle(names);
    const Renaming rename(names);
    ASSERT_EQ(placesOf(program, rename), placesOf(rename(program), [](unsigned tile) { return tile; }))
        << "seed " << seed;
  }
}

// A redundant synchronisation can be replaced by a marker, which keeps its place in the queue and orders
// nothing: all verdicts about memory stay the same, and nothing redundant is left.
TEST(Redundancy, NothingChangesWithoutIt) {
  size_t numRedundant = 0;
  for (uint64_t seed = 0; seed < test::rounds(4000); ++seed) {
    Program program = randomProgram(seed).program;
    const auto kinds = {ProblemKind::race, ProblemKind::uninitialisedRead, ProblemKind::deadlock};
    const auto before = verdictOf(program, kinds);
    const RedundantSyncs redundant = redundantSyncs(program);
    numRedundant += redundant.syncs.size() + redundant.waits.size();
    for (const auto *list : {&redundant.syncs, &redundant.waits})
      for (const Place &place : *list)
        std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.instruction] =
            Marker{.engine = place.engine};
    ASSERT_EQ(verdictOf(program, kinds), before) << "seed " << seed;
    const RedundantSyncs rest = redundantSyncs(program);
    ASSERT_TRUE(rest.syncs.empty() && rest.waits.empty()) << "seed " << seed;
  }
  EXPECT_GT(numRedundant, test::rounds(300));
}

TEST(Redundancy, ByHand) {
  using enum Engine;
  const Program program =
      programOf({{fill(ocm(0, 8)), sync(dmaOut, pe), sync(dmaOut, pe), store(ocm(0, 8), remote(1, 0, 8)),
                  signal(dmaOut, 1, 0), signal(dmaOut, 1, 1)},
                 {wait(pe, 0), wait(pe, 1), wait(pe, 0), copy(ocm(0, 8), ocm(8, 8))}});
  const RedundantSyncs redundant = redundantSyncs(program);
  const auto positions = [](const std::vector<Place> &places) {
    std::vector<std::pair<unsigned, unsigned>> result;
    for (const Place &place : places)
      result.emplace_back(place.tile, place.instruction);
    return result;
  };
  using Positions = std::vector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(positions(redundant.syncs), (Positions{{0, 2}}));
  EXPECT_EQ(positions(redundant.waits),
            (Positions{{1, 2}})); // the second wait is needed: it is for a later signal than the first
  EXPECT_EQ(positions(redundant.signals), (Positions{}));
  // With the waits in the opposite order, the wait for the later signal makes the other one redundant.
  Program turned = program;
  auto &code = std::get<DeviceStage>(turned.stages[0].work).tiles[1];
  std::swap(code[0], code[1]);
  EXPECT_EQ(positions(redundantSyncs(turned).waits), (Positions{{1, 1}, {1, 2}}));
  EXPECT_EQ(positions(redundantSyncs(turned).signals), (Positions{{0, 4}}));
}

// A program of realistic size, with semaphores, multicasts, halos and barriers, is proved free of races, and
// no accumulator is reported as possibly exceeding 32 bits.
TEST(ResNet, IsProvedWithoutWideAccumulators) {
  const Program program = resNetProgram({.spatialLayers = 6, .channelLayers = 4, .grid = 4});
  const Analysis analysis = analyse(program);
  EXPECT_TRUE(analysis.proved()) << describe(analysis.problems[0], program);
  EXPECT_TRUE(analysis.wide.empty());
  EXPECT_GT(analysis.statistics.syncEdges, 1000u);
}

// If any wait or sync that is not redundant is removed, the analyser reports a problem.
TEST(ResNet, EveryNeededWaitIsNeeded) {
  const Program program = resNetProgram({.spatialLayers = 3, .channelLayers = 2, .grid = 2});
  const RedundantSyncs redundant = redundantSyncs(program);
  const auto &tiles = std::get<DeviceStage>(program.stages[0].work).tiles;
  Random random(1);
  int harmless = 0, noticed = 0;
  for (int i = 0; i < 150; ++i) {
    const auto tile = static_cast<unsigned>(random.below(tiles.size()));
    const auto index = static_cast<unsigned>(random.below(tiles[tile].size()));
    if (!std::holds_alternative<Wait>(tiles[tile][index]) &&
        !std::holds_alternative<Sync>(tiles[tile][index]))
      continue;
    Program altered = program;
    std::get<DeviceStage>(altered.stages[0].work).tiles[tile][index] =
        Marker{.engine = engineOf(tiles[tile][index])};
    const Analysis analysis = analyse(altered);
    const auto isIt = [&](const Place &place) { return place.tile == tile && place.instruction == index; };
    const bool isRedundant =
        std::ranges::any_of(redundant.waits, isIt) || std::ranges::any_of(redundant.syncs, isIt);
    const bool racy = analysis.count(ProblemKind::race) > 0;
    EXPECT_FALSE(isRedundant && racy) << "tile " << tile << " instruction " << index;
    ++(racy ? noticed : harmless);
  }
  EXPECT_GT(noticed, 10);
}

} // namespace
} // namespace tilerig
