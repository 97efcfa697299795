// Tests of every placement algorithm on networks of every shape: plans are valid, not below the lower bound,
// and reproducible.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/PlanMemory.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomMemoryProblems.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig {
using namespace compiler;

namespace {

constexpr SearchLimits shortSearch = {0, 200'000};

std::vector<MemoryPlan> plansOf(const MemoryProblem &problem) {
  const Bodies bodies = formBodies(problem);
  std::vector<MemoryPlan> plans;
  for (const MemoryAlgorithm algorithm : greedyAlgorithms)
    plans.push_back(algorithm(bodies));
  plans.push_back(improveOrder(bodies, plans.front(), shortSearch));
  return plans;
}

// Calls `visit` with random problems of memory planning, for networks of every shape. In at least one problem
// of three, a buffer has a fixed address.
template <class Visit>
void onRandomProblems(uint64_t rounds, size_t most, Visit visit) {
  test::Random random(7);
  for (uint64_t round = 0; round < rounds; ++round)
    for (const auto &[shape, name] : test::networkShapes) {
      MemoryProblem problem = test::randomProblem(shape, 1 + random.below(most), random);
      problem.base = 4096 * random.below(3);
      if (round % 3 == 0)
        problem.buffers.front().at = problem.base + problem.buffers.front().alignment * random.below(100);
      const Status checked = checkProblem(problem);
      // If the buffer with the fixed address is a part of another buffer, there may be no valid address for
      // that other buffer. The test then drops the fixed address.
      if (!checked) {
        ASSERT_EQ(shape, test::NetworkShape::dense) << checked.error().message();
        problem.buffers.front().at.reset();
        ASSERT_TRUE(checkProblem(problem));
      }
      SCOPED_TRACE(name);
      visit(problem);
    }
}

MemoryPlan planOf(const MemoryProblem &problem) {
  const Result<MemoryOutcome> outcome = planMemory(problem);
  EXPECT_TRUE(outcome) << outcome.error().message();
  const auto *plan = outcome ? std::get_if<MemoryPlan>(&*outcome) : nullptr;
  EXPECT_NE(plan, nullptr) << "does not fit";
  return plan ? *plan : MemoryPlan();
}

} // namespace

TEST(MemoryPlans, AreValidForEveryAlgorithm) {
  onRandomProblems(test::rounds(60), 120, [](const MemoryProblem &problem) {
    const uint64_t bound = lowerBound(problem);
    EXPECT_GT(bound, 0u);
    std::set<std::string> names;
    for (const MemoryPlan &plan : plansOf(problem)) {
      const Status verified = verifyPlan(problem, plan);
      EXPECT_TRUE(verified) << plan.algorithm << ": " << verified.error().message();
      EXPECT_GE(plan.peak, bound) << plan.algorithm;
      names.insert(plan.algorithm);
    }
    EXPECT_GE(names.size(), greedyAlgorithms.size());
  });
}

TEST(MemoryPlans, AreTheSameAgain) {
  onRandomProblems(10, 60, [](const MemoryProblem &problem) {
    const std::vector<MemoryPlan> once = plansOf(problem), again = plansOf(problem);
    for (size_t i = 0; i < once.size(); ++i) {
      EXPECT_EQ(once[i].addresses, again[i].addresses) << once[i].algorithm;
      EXPECT_EQ(once[i].algorithm, again[i].algorithm);
    }
    EXPECT_EQ(planOf(problem).addresses, planOf(problem).addresses);
  });
}

TEST(MemoryPlans, AreNoWorseThanTheBestGreedyOne) {
  size_t better = 0;
  onRandomProblems(10, 120, [&](const MemoryProblem &problem) {
    uint64_t best = UINT64_MAX;
    const Bodies bodies = formBodies(problem);
    for (const MemoryAlgorithm algorithm : greedyAlgorithms)
      best = std::min(best, algorithm(bodies).peak);
    const MemoryPlan plan = planOf(problem);
    EXPECT_LE(plan.peak, best);
    better += plan.peak < best ? 1 : 0;
  });
  EXPECT_GT(better, 0u) << "the search never found anything";
}

TEST(MemoryPlans, PackConcatenationsAsStairs) {
  // Three results of 64 bytes are concatenated. Until the last one exists, another buffer may use its bytes.
  MemoryProblem problem{0, 256, {}};
  for (uint32_t i = 0; i < 3; ++i)
    problem.buffers.push_back({64, 64, i, 3, {}, PartOf{3, 64 * i}, {}});
  problem.buffers.push_back({192, 64, 3, 4, {}, {}, {}});
  problem.buffers.push_back({128, 64, 0, 0, {}, {}, {}});
  problem.buffers.push_back({64, 64, 1, 1, {}, {}, {}});
  EXPECT_EQ(lowerBound(problem), 192u);
  EXPECT_EQ(planOf(problem).peak, 192u);
}

TEST(MemoryPlans, WriteOverOperands) {
  // Ten element-wise layers in place need the bytes of one tensor; the final addition may overwrite either
  // operand.
  MemoryProblem problem{0, 1 << 20, {}};
  for (uint32_t i = 0; i < 10; ++i)
    problem.buffers.push_back(
        {1000, 64, i, i + 1, {}, {}, i == 0 ? std::vector<size_t>{} : std::vector<size_t>{i - 1}});
  EXPECT_EQ(planOf(problem).peak, 1000u);
  problem.buffers.push_back({1000, 64, 9, 10, {}, {}, {}});
  problem.buffers.push_back({1000, 64, 10, 11, {}, {}, {9, 10}});
  EXPECT_EQ(lowerBound(problem), 2000u);
  EXPECT_EQ(planOf(problem).peak, 2024u) << "the second operand is aligned to 64";
  problem.buffers[9].to = problem.buffers[10].to = 11;
  EXPECT_EQ(lowerBound(problem), 3000u) << "both are read later";
}

TEST(MemoryPlans, OfNothingAreEmpty) {
  const MemoryPlan plan = planOf({64, 0, {}});
  EXPECT_TRUE(plan.addresses.empty());
  EXPECT_EQ(plan.peak, 0u);
}

} // namespace tilerig
