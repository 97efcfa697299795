// Compares the analyser's verdict on random programs with an exhaustive exploration of all interleavings.
//
// The ordinary test checks some tens of thousands of programs. TILERIG_INTERLEAVINGS=N checks N instead:
//   TILERIG_INTERLEAVINGS=100000 build/tests/tilerig-analyser-tests --gtest_filter='Interleavings.*'

#include "tests/unit/Analyser/Interleavings.h"
#include "isa/Analyser/Analyser.h"
#include "tests/support/Effort.h"
#include "tests/unit/Analyser/RandomPrograms.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilerig {
namespace {

using test::RandomProgram;
using test::Verdict;

test::Operand operandOf(const Place &place) {
  return {place.tile, place.instruction, std::string(place.operand)};
}

// The analyser's verdict on the last stage, in the form in which the exploration of all interleavings gives
// its own.
Verdict verdictOf(const Analysis &analysis, const Program &program) {
  Verdict verdict;
  const uint32_t last = static_cast<uint32_t>(program.stages.size()) - 1;
  for (const Problem &problem : analysis.problems) {
    if (!problem.places.empty() && problem.places[0].stage != last)
      continue;
    verdict.deadlock |= problem.kind == ProblemKind::deadlock;
    if (problem.kind == ProblemKind::race) {
      test::Race race{static_cast<int>(problem.memory), operandOf(problem.places[0]),
                      operandOf(problem.places[1])};
      if (race.second < race.first)
        std::swap(race.first, race.second);
      EXPECT_TRUE(verdict.races.insert(race).second) << "a race is reported once";
    }
    if (problem.kind == ProblemKind::uninitialisedRead) {
      EXPECT_TRUE(verdict.uninitialised.insert(operandOf(problem.places[0])).second);
    }
    if (problem.kind == ProblemKind::semaphoreLeftOver) {
      const auto &code = std::get<DeviceStage>(program.stages[last].work).tiles[problem.places[0].tile];
      const Signal &signal = std::get<Signal>(code[problem.places[0].instruction]);
      verdict.leftOver.insert({signal.tile, signal.semaphore});
    }
  }
  return verdict;
}

std::string text(const Verdict &verdict) {
  std::string text = fmt::format("deadlock {}\n", verdict.deadlock);
  const auto textOf = [](const test::Operand &operand) {
    return fmt::format("{}:{} {}", operand.tile, operand.instruction, operand.name);
  };
  for (const auto &race : verdict.races)
    text += fmt::format("race in {}: {} and {}\n", race.memory, textOf(race.first), textOf(race.second));
  for (const auto &read : verdict.uninitialised)
    text += fmt::format("uninitialised {}\n", textOf(read));
  for (const auto &[tile, semaphore] : verdict.leftOver)
    text += fmt::format("left over {} of {}\n", semaphore, tile);
  return text;
}

struct Shares {
  size_t programs = 0, tooLarge = 0, proved = 0, racy = 0, deadlocked = 0, uninitialised = 0, leftOver = 0,
         severalProducers = 0, states = 0;
};

void compare(uint64_t seed, Shares &shares) {
  const RandomProgram random = test::randomProgram(seed);
  const uint32_t stage = static_cast<uint32_t>(random.program.stages.size()) - 1;
  const auto judged = test::exploreInterleavings(random.program, stage, random.initial, 40'000);
  if (!judged) {
    ++shares.tooLarge;
    return;
  }
  const Analysis analysis = analyse(random.program, {.keptPerKind = 100'000});
  ASSERT_EQ(analysis.count(ProblemKind::illegalInstruction) + analysis.count(ProblemKind::malformedProgram),
            0u)
      << "seed " << seed << ": " << describe(analysis.problems[0], random.program);
  Verdict verdict = verdictOf(analysis, random.program);
  ++shares.programs;
  shares.states += judged->states;
  shares.proved += analysis.proved();
  shares.racy += !judged->races.empty();
  shares.deadlocked += judged->deadlock;
  shares.uninitialised += !judged->uninitialised.empty();
  shares.leftOver += !judged->leftOver.empty();
  ASSERT_EQ(verdict.deadlock, judged->deadlock) << "seed " << seed;
  ASSERT_TRUE(random.making != test::Making::ordered || (!judged->deadlock && judged->races.empty()))
      << "seed " << seed;
  if (analysis.count(ProblemKind::severalProducers) > 0) {
    // The analyser refuses a semaphore with several producers and then assumes no order between them. It may
    // therefore report more problems than the exploration finds, but never fewer.
    ++shares.severalProducers;
    ASSERT_TRUE(std::ranges::includes(verdict.races, judged->races)) << "seed " << seed;
    ASSERT_TRUE(std::ranges::includes(verdict.uninitialised, judged->uninitialised)) << "seed " << seed;
    return;
  }
  if (judged->deadlock)
    // After a deadlock, the exploration knows no left-over signals, since it never reaches the end of the
    // stage.
    verdict.leftOver.clear();
  ASSERT_EQ(text(verdict), text(*judged)) << "seed " << seed;
}

TEST(Interleavings, AgreeWithTheAnalyser) {
  const char *wanted = std::getenv("TILERIG_INTERLEAVINGS");
  const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : test::rounds(24'000);
  Shares shares;
  for (uint64_t seed = 0; seed < count && !HasFatalFailure(); ++seed)
    compare(seed, shares);
  fmt::print(
      "{} programs ({} too large to run through), {:.0f} states each on average: {:.1f} % proved, {:.1f} % "
      "racy, "
      "{:.1f} % deadlocked, {:.1f} % uninitialised, {:.1f} % left over, {:.1f} % with several producers\n",
      shares.programs, shares.tooLarge, 1.0 * shares.states / shares.programs,
      100.0 * shares.proved / shares.programs, 100.0 * shares.racy / shares.programs,
      100.0 * shares.deadlocked / shares.programs, 100.0 * shares.uninitialised / shares.programs,
      100.0 * shares.leftOver / shares.programs, 100.0 * shares.severalProducers / shares.programs);
  // The test is only meaningful if the random programs cover every verdict often enough.
  EXPECT_LT(shares.tooLarge, count / 50);
  for (const size_t share :
       {shares.proved, shares.racy, shares.deadlocked, shares.uninitialised, shares.leftOver})
    EXPECT_GT(share, shares.programs / 50);
}

} // namespace
} // namespace tilerig
