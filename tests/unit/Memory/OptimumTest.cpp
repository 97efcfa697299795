// Tests of the memory planner on small problems against the optimum of an exhaustive search.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/PlanMemory.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomMemoryProblems.h"
#include "tests/unit/Memory/Naive.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;

static uint64_t bestGreedyPeak(const MemoryProblem &problem) {
  uint64_t best = UINT64_MAX;
  for (const MemoryAlgorithm algorithm : greedyAlgorithms)
    best = std::min(best, algorithm(formBodies(problem)).peak);
  return best;
}

TEST(SmallMemoryProblems, ArePlannedNearlyAlwaysAtTheOptimum) {
  test::Random random(11);
  uint64_t fitting = 0, best = 0, missed = 0, tooFull = 0, rescued = 0;
  for (uint64_t round = 0; round < test::rounds(1500); ++round) {
    const MemoryProblem problem = test::tinyProblem(6, random);
    const std::optional<uint64_t> optimum = test::leastPeak(problem);
    const Result<MemoryOutcome> outcome = planMemory(problem);
    ASSERT_TRUE(outcome) << outcome.error().message();
    if (const auto *refused = std::get_if<DoesNotFit>(&*outcome)) {
      EXPECT_FALSE(refused->isProved && optimum) << "round " << round << ": it fits";
      missed += optimum ? 1 : 0;
      tooFull += optimum ? 0 : 1;
      continue;
    }
    const auto &plan = std::get<MemoryPlan>(*outcome);
    ASSERT_TRUE(optimum) << "round " << round;
    EXPECT_TRUE(test::isRight(problem, plan.addresses)) << "round " << round;
    EXPECT_LE(lowerBound(problem), *optimum) << "round " << round;
    EXPECT_GE(plan.peak, *optimum) << "round " << round;
    ++fitting;
    rescued += bestGreedyPeak(problem) > problem.capacity ? 1 : 0;
    best += plan.peak == *optimum ? 1 : 0;
  }
  RecordProperty("fitting", fitting);
  RecordProperty("best", best);
  RecordProperty("missed", missed);
  RecordProperty("rescued", rescued);
  EXPECT_GE(fitting, test::rounds(500)) << "too few that fit";
  EXPECT_GE(tooFull, test::rounds(100)) << "too few that do not";
  EXPECT_GE(rescued, test::rounds(5)) << "too few that fit by search alone";
  EXPECT_GE(best * 100, fitting * 97) << best << " of " << fitting << " are best";
  EXPECT_LE(missed * 100, fitting) << missed << " fit, but no plan was found";
}

} // namespace tilerig
