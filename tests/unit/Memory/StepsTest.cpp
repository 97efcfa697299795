// Tests of the planner's statements about the steps of a program: live bytes, reuse of bytes, and why buffers
// do not fit.
#include "compiler/Planning/Memory/PlanMemory.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomMemoryProblems.h"
#include "tests/unit/Memory/Naive.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;

namespace {

Buffer living(uint64_t size, uint32_t from, uint32_t to) { return {size, 1, from, to, {}, {}, {}}; }

DoesNotFit refusal(const MemoryProblem &problem) {
  const Result<MemoryOutcome> outcome = planMemory(problem);
  EXPECT_TRUE(outcome) << outcome.error().message();
  const auto *refused = outcome ? std::get_if<DoesNotFit>(&*outcome) : nullptr;
  EXPECT_NE(refused, nullptr) << "it fits";
  return refused ? *refused : DoesNotFit();
}

} // namespace

TEST(BytesAlive, AreCountedStepByStep) {
  test::Random random(5);
  for (int round = 0; round < 500; ++round) {
    MemoryProblem problem{0, 1 << 20, {}};
    for (size_t i = 0, count = random.below(20); i < count; ++i) {
      const auto from = static_cast<uint32_t>(random.below(30));
      problem.buffers.push_back(living(1 + random.below(1000), from, from + random.below(9)));
    }
    std::vector<uint64_t> expected(40), actual(40);
    for (const Buffer &buffer : problem.buffers)
      for (uint32_t step = buffer.from; step <= buffer.to; ++step)
        expected[step] += buffer.size;
    int64_t last = -1;
    for (const MemoryStretch &stretch : bytesAlive(problem)) {
      EXPECT_GT(int64_t{stretch.from}, last);
      last = stretch.to;
      for (uint32_t step = stretch.from; step <= stretch.to; ++step)
        actual[step] = stretch.bytes;
    }
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(lowerBound(problem), std::ranges::max(expected));
  }
}

TEST(BytesAlive, CountPartsAndReplacedOperandsOnce) {
  MemoryProblem problem{
      100, 1000, {living(50, 0, 3), living(200, 2, 4), living(200, 4, 5), living(10, 4, 4)}};
  problem.buffers[0].partOf = PartOf{1, 100};
  problem.buffers[2].mayReplace = {1};
  const std::vector<MemoryStretch> expected = {{0, 1, 50}, {2, 3, 200}, {4, 4, 210}, {5, 5, 200}};
  EXPECT_EQ(bytesAlive(problem), expected);
  problem.buffers[3].at = 400;
  EXPECT_EQ(lowerBound(problem), 310u) << "the end of what is fixed, from the base";
}

TEST(BytesAlive, CountBytesThatResultAndOperandShareOnce) {
  MemoryProblem sum{0, 1000, {living(100, 0, 1), living(100, 0, 1), living(100, 1, 2)}};
  sum.buffers[2].mayReplace = {0, 1};
  const std::vector<MemoryStretch> ofSum = {{0, 0, 200}, {1, 1, 200}, {2, 2, 100}};
  EXPECT_EQ(bytesAlive(sum), ofSum) << "one result";
  MemoryProblem twice{0, 1000, {living(100, 0, 1), living(100, 1, 2), living(100, 1, 2)}};
  twice.buffers[1].mayReplace = twice.buffers[2].mayReplace = {0};
  const std::vector<MemoryStretch> ofTwice = {{0, 0, 100}, {1, 1, 200}, {2, 2, 200}};
  EXPECT_EQ(bytesAlive(twice), ofTwice) << "one operand";
}

TEST(BytesAlive, GoToTheLastStepThereIs) {
  const std::vector<MemoryStretch> expected = {{UINT32_MAX - 1, UINT32_MAX, 8}};
  EXPECT_EQ(bytesAlive({0, 8, {living(8, UINT32_MAX - 1, UINT32_MAX)}}), expected);
}

TEST(Takeovers, EqualThoseOfSingleBytes) {
  test::Random random(9);
  size_t count = 0;
  for (uint64_t round = 0; round < test::rounds(3000); ++round) {
    const MemoryProblem problem = test::tinyProblem(7, random);
    const Result<MemoryOutcome> outcome = planMemory(problem);
    ASSERT_TRUE(outcome);
    const auto *plan = std::get_if<MemoryPlan>(&*outcome);
    if (!plan)
      continue;
    std::set<std::pair<size_t, size_t>> actual;
    for (const Takeover &takeover : takeovers(problem, *plan))
      actual.emplace(takeover.before, takeover.after);
    EXPECT_EQ(actual, test::heirs(problem, plan->addresses)) << "round " << round;
    count += actual.size();
  }
  EXPECT_GT(count, test::rounds(1000));
}

TEST(Takeovers, LeaveOutWhoIsInBetween) {
  const MemoryProblem problem{0, 16, {living(16, 0, 0), living(8, 1, 1), living(16, 2, 2)}};
  const MemoryPlan plan{{0, 0, 0}, 16, "by hand"};
  const std::vector<Takeover> expected = {{0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(takeovers(problem, plan), expected) << "0 still has the upper half when 2 comes";
  const MemoryProblem covered{0, 16, {living(8, 0, 0), living(16, 1, 1), living(16, 2, 2)}};
  const std::vector<Takeover> chain = {{0, 1}, {1, 2}};
  EXPECT_EQ(takeovers(covered, plan), chain);
}

TEST(DoesNotFit, SaysWhatIsAliveAtTheFullestStep) {
  const MemoryProblem problem{
      0, 100, {living(30, 0, 9), living(90, 1, 2), living(60, 5, 7), living(50, 6, 8)}};
  const DoesNotFit refused = refusal(problem);
  EXPECT_TRUE(refused.isProved);
  EXPECT_EQ(refused.step, 6u);
  EXPECT_EQ(refused.alive, 140u);
  EXPECT_EQ(refused.needed, 140u);
  EXPECT_EQ(refused.capacity, 100u);
  EXPECT_EQ(refused.buffers, (std::vector<size_t>{2, 3, 0}));
  const Error error = refused.error(problem, "tile 3");
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.place, "tile 3");
  EXPECT_EQ(
      error.what,
      "step 6 needs 140 bytes, but the memory has 100; its largest buffers (bytes): 2 (60), 3 (50), 0 (30)");
}

TEST(DoesNotFit, SaysSoWhereOnlyGapsAreInTheWay) {
  // At step 1, 4 bytes are free, but not side by side: two lie before and two behind a buffer at a fixed
  // address.
  MemoryProblem problem{0, 6, {living(2, 0, 3), living(4, 1, 2), living(1, 5, 5)}};
  problem.buffers[0].at = 2;
  const DoesNotFit refused = refusal(problem);
  EXPECT_FALSE(refused.isProved);
  EXPECT_EQ(refused.step, 1u);
  EXPECT_EQ(refused.alive, 6u);
  EXPECT_EQ(refused.needed, 8u);
  EXPECT_EQ(refused.buffers, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(
      refused.error(problem, "memory").what,
      "no plan was found that needs fewer than 8 bytes, but the memory has 6; step 1 needs 6; its largest "
      "buffers (bytes): 1 (4), 0 (2)");
}

TEST(DoesNotFit, NamesTheLargestOfMany) {
  MemoryProblem problem{0, 100, {}};
  for (uint64_t i = 0; i < 30; ++i)
    problem.buffers.push_back(living(10 + i, 0, 0));
  const DoesNotFit refused = refusal(problem);
  EXPECT_EQ(refused.buffers.size(), 30u);
  EXPECT_NE(refused.error(problem, "memory").what.find("29 (39), 28 (38), 27 (37), 26 (36) and 26 more"),
            std::string::npos);
}

} // namespace tilerig
