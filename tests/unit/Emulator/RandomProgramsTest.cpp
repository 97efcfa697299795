// Race-free random programs give the same bits in every mode of the emulator: in program order, in any other
// legal order, and in the order of time, whatever the latencies. If one synchronisation is removed and the
// analyser still proves the program free of races, this still holds.
#include "emulator/Beats/BeatsSession.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "tests/unit/Emulator/RandomProgram.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fmt/core.h>

namespace tilerig {
using namespace emulator;
namespace {

uint64_t asked(const char *variable, uint64_t otherwise) {
  const char *value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

// A random program, either on the small machine `tiny` or on a few tiles of `tr64`.
test::RandomProgram programOf(uint64_t seed) {
  static const Machine tiny = *loadMachine("tiny"), tr64 = *loadMachine("tr64");
  const bool isTiny = seed % 3 != 0;
  const auto tiles = static_cast<unsigned>(1 + seed % (isTiny ? 4 : 7));
  return test::raceFreeProgram(seed, isTiny ? tiny : tr64, tiles, 12);
}

std::string firstDifference(const TensorMap &a, const TensorMap &b) {
  for (const NamedTensor &entry : a) {
    const Tensor *other = b.find(entry.name);
    if (!other)
      return entry.name + " is missing";
    const auto x = entry.tensor.as<uint8_t>(), y = other->as<uint8_t>();
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i] != y[i])
        return fmt::format("{}[{}] is {} and {}", entry.name, i, x[i], y[i]);
  }
  return {};
}

uint64_t cyclesOf(const Program &program, std::optional<uint64_t> jitter) {
  TimelineOptions options{.jitter = jitter};
  for (uint32_t index = 0; index < program.stages.size(); ++index)
    options.begin = timeStage(costsOfStage(program, index), program, options).end;
  return options.begin;
}

TensorMap runFast(const test::RandomProgram &randomProgram, unsigned threads) {
  auto session = Session::load(randomProgram.program, {.threads = threads});
  EXPECT_TRUE(session) << session.error().message();
  auto outputs = (*session)->run(randomProgram.inputs);
  EXPECT_TRUE(outputs) << outputs.error().message();
  return *std::move(outputs);
}

TEST(RandomPrograms, AreTheSameFastAndByBeatsWhateverTheLatencies) {
  const uint64_t programs = asked("TILERIG_RANDOM_PROGRAMS", 60), seeds = asked("TILERIG_JITTER_SEEDS", 4);
  for (uint64_t seed = 0; seed < programs; ++seed) {
    test::RandomProgram randomProgram = programOf(seed);
    const Status proved = prove(randomProgram.program);
    ASSERT_TRUE(proved) << "program " << seed << ": " << proved.error().message();
    const TensorMap expected = runFast(randomProgram, 1);
    for (unsigned threads : {2u, 4u})
      ASSERT_EQ(firstDifference(expected, runFast(randomProgram, threads)), "") << "program " << seed;
    auto session = BeatsSession::load(randomProgram.program);
    ASSERT_TRUE(session) << session.error().message();
    for (uint64_t jitter = 0; jitter <= seeds; ++jitter)
      for (bool everyBeat : {false, true}) {
        const auto by = jitter == 0 ? std::nullopt : std::optional(jitter);
        auto run = (*session)->run(randomProgram.inputs, {.jitter = by, .everyBeat = everyBeat});
        ASSERT_TRUE(run) << run.error().message();
        ASSERT_TRUE(run->faults.empty())
            << "program " << seed << ": " << describe(run->faults[0], randomProgram.program);
        ASSERT_EQ(firstDifference(expected, run->outputs), "")
            << "program " << seed << ", jitter " << jitter << (everyBeat ? ", every beat" : "");
        ASSERT_EQ(run->cycles, cyclesOf(randomProgram.program, by)) << "program " << seed;
      }
  }
}

TEST(RandomPrograms, WithoutASynchronisationGoWrongOnlyIfTheAnalyserSaysSo) {
  const uint64_t programs = asked("TILERIG_RANDOM_PROGRAMS", 60), seeds = asked("TILERIG_LOST_SEEDS", 10);
  uint64_t proved = 0, conflicts = 0, seen = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    test::RandomProgram randomProgram = programOf(seed);
    auto whole = BeatsSession::load(randomProgram.program);
    ASSERT_TRUE(whole);
    const auto expected = (*whole)->run(randomProgram.inputs);
    ASSERT_TRUE(expected && expected->ended);
    test::Random random(seed);
    if (!test::loseSynchronisation(randomProgram.program, random))
      continue;
    const bool holds = analyse(randomProgram.program).proved();
    auto session = BeatsSession::load(randomProgram.program);
    ASSERT_TRUE(session) << session.error().message();
    bool differs = false;
    for (uint64_t jitter = 0; jitter < seeds && !differs; ++jitter) {
      const auto run = (*session)->run(randomProgram.inputs, {.jitter = jitter});
      ASSERT_TRUE(run) << run.error().message();
      differs = !run->faults.empty() || !firstDifference(expected->outputs, run->outputs).empty();
    }
    EXPECT_FALSE(holds && differs) << "program " << seed;
    proved += holds;
    conflicts += !holds;
    seen += !holds && differs;
  }
  fmt::print("{} programs without a synchronisation: {} proved; of {} that are not, {} show it\n",
             proved + conflicts, proved, conflicts, seen);
  EXPECT_GT(proved, 0u);
  EXPECT_GT(seen, 0u);
}

} // namespace
} // namespace tilerig
