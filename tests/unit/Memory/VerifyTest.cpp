// Tests that invalid plans and problems are refused. The verdict on a plan is compared with that of a naive
// check, which marks the bytes of every buffer step by step.
#include "compiler/Planning/Memory/MemoryProblem.h"
#include "compiler/Planning/Memory/PlanMemory.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomMemoryProblems.h"
#include "tests/unit/Memory/Naive.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;

namespace {

uint64_t peakOf(const MemoryProblem &problem, const std::vector<uint64_t> &addresses) {
  uint64_t end = problem.base;
  for (size_t i = 0; i < addresses.size(); ++i)
    end = std::max(end, addresses[i] + problem.buffers[i].size);
  return end - problem.base;
}

// A problem with a buffer inside another one, a buffer at a fixed address, a buffer that may overwrite
// another one, and an independent buffer; and a valid plan for it.
struct Example {
  MemoryProblem problem{64,
                        1024,
                        {
                            {64, 64, 0, 2, {}, PartOf{1, 64}, {}}, // buffer 0: part of buffer 1
                            {256, 64, 2, 4, {}, {}, {}},           // buffer 1
                            {128, 64, 4, 5, 512, {}, {}},          // buffer 2
                            {256, 64, 4, 6, {}, {}, {1}},          // buffer 3: may overwrite buffer 1
                            {64, 32, 0, 6, {}, {}, {}},            // buffer 4
                        }};
  MemoryPlan plan{{128, 64, 512, 64, 320}, 576, "by hand"};
};

void expectWrong(const std::function<void(Example &)> &spoil, const std::string &said) {
  Example example;
  spoil(example);
  const Status verified = verifyPlan(example.problem, example.plan);
  ASSERT_FALSE(verified) << said;
  EXPECT_EQ(verified.error().kind, ErrorKind::internal);
  EXPECT_NE(verified.error().message().find(said), std::string::npos) << verified.error().message();
}

void expectRefused(const std::function<void(MemoryProblem &)> &spoil, const std::string &said) {
  Example example;
  spoil(example.problem);
  const Status checked = checkProblem(example.problem);
  ASSERT_FALSE(checked) << said;
  EXPECT_NE(checked.error().message().find(said), std::string::npos) << checked.error().message();
  const Result<MemoryOutcome> outcome = planMemory(example.problem);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), checked.error().message());
}

} // namespace

TEST(VerifiedPlans, AreThoseThatBytesPaintedStepByStepAllow) {
  test::Random random(3);
  uint64_t right = 0, wrong = 0;
  for (uint64_t round = 0; round < test::rounds(4000); ++round) {
    const MemoryProblem problem = test::tinyProblem(5, random);
    const Result<MemoryOutcome> outcome = planMemory(problem);
    ASSERT_TRUE(outcome);
    const auto *plan = std::get_if<MemoryPlan>(&*outcome);
    if (!plan)
      continue;
    // Moves one buffer, alone or together with the buffers that contain it and its parts.
    std::vector<uint64_t> addresses = plan->addresses;
    const size_t moved = random.below(addresses.size());
    const uint64_t to = random.below(problem.base + problem.capacity + 2);
    const bool together = random.chance(70);
    const uint64_t by = to - addresses[moved];
    for (size_t i = 0; i < addresses.size(); ++i)
      if (i == moved || (together && (problem.buffers[i].partOf || problem.buffers[moved].partOf)))
        addresses[i] += by;
    if (std::ranges::any_of(addresses, [](uint64_t address) { return address > 1000; }))
      continue;
    const bool expected = test::isRight(problem, addresses);
    const Status verified = verifyPlan(problem, {addresses, peakOf(problem, addresses), "moved"});
    EXPECT_EQ(static_cast<bool>(verified), expected)
        << "round " << round << ": " << (verified ? "passed" : verified.error().message());
    (expected ? right : wrong) += 1;
  }
  EXPECT_GT(right, test::rounds(500));
  EXPECT_GT(wrong, test::rounds(500));
}

TEST(VerifiedPlans, HaveNoMistakeOfAnyKind) {
  Example original;
  const Status verified = verifyPlan(original.problem, original.plan);
  ASSERT_TRUE(verified) << verified.error().message();
  expectWrong([](Example &example) { example.plan.addresses.pop_back(); }, "4 addresses for 5 buffers");
  expectWrong([](Example &example) { example.plan.peak -= 1; }, "states a peak");
  expectWrong([](Example &example) { example.plan.addresses[4] += 16; }, "not aligned to 32");
  expectWrong([](Example &example) { example.plan.addresses[4] = 32; }, "outside the memory");
  expectWrong([](Example &example) { example.plan.addresses[4] = 1056; }, "outside the memory");
  expectWrong([](Example &example) { example.plan.addresses[4] = UINT64_MAX - 63; }, "outside the memory");
  expectWrong([](Example &example) { example.plan.addresses[2] = 576; },
              "the buffer must have the fixed address 512");
  expectWrong([](Example &example) { example.plan.addresses[0] = 192; }, "not at its offset inside buffer 1");
  expectWrong([](Example &example) { example.plan.addresses[4] = 288; }, "shares bytes");
  // A buffer may overwrite its operand only at the same address and only if the operand's live range ends
  // there.
  const auto overAndUp = [](Example &example) {
    example.plan.addresses[3] = 128;
    example.plan.addresses[4] = 640;
    example.plan.peak = 640;
  };
  expectWrong(overAndUp, "3 at 128: the buffer shares bytes with buffer 1 at 64");
  expectWrong([](Example &example) { example.problem.buffers[1].to = 5; },
              "the buffer shares bytes with buffer 1");
  expectWrong([](Example &example) { example.problem.buffers[3].mayReplace.clear(); },
              "the buffer shares bytes with buffer 1");
  expectWrong([](Example &example) { example.problem.buffers[0].partOf.reset(); },
              "the buffer shares bytes with buffer 0");
}

TEST(MemoryProblems, ThatContradictThemselvesAreRefused) {
  ASSERT_TRUE(checkProblem(Example().problem));
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].size = 0; },
                "buffer 4: the buffer has no bytes");
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].size = UINT64_MAX; }, "more than");
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].alignment = 48; },
                "48 is not a power of two");
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].alignment = 0; }, "0 is not a power of two");
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].from = 7; },
                "the buffer ends at step 6, before");
  expectRefused([](MemoryProblem &problem) { problem.buffers[2].at = 520; }, "not aligned to 64");
  expectRefused([](MemoryProblem &problem) { problem.buffers[2].at = 0; }, "outside the memory");
  expectRefused([](MemoryProblem &problem) { problem.buffers[2].at = 1024; }, "outside the memory");
  expectRefused([](MemoryProblem &problem) { problem.buffers[0].partOf->whole = 5; },
                "part of buffer 5, which does not exist");
  expectRefused([](MemoryProblem &problem) { problem.buffers[0].partOf->offset = 256; },
                "the buffer reaches beyond buffer 1");
  expectRefused([](MemoryProblem &problem) { problem.buffers[0].to = 1; },
                "never live together with buffer 1");
  expectRefused([](MemoryProblem &problem) { problem.buffers[0].partOf->offset = 32; }, "32 bytes inside");
  expectRefused(
      [](MemoryProblem &problem) {
        problem.buffers[0].size = 256;
        problem.buffers[0].partOf->offset = 0;
        problem.buffers[1].partOf = PartOf{0, 0};
      },
      "the buffer is part of itself");
  expectRefused(
      [](MemoryProblem &problem) {
        problem.buffers[4].partOf = PartOf{1, 96};
      },
      "another part of the same buffer");
  expectRefused(
      [](MemoryProblem &problem) {
        problem.buffers[0].at = 256;
        problem.buffers[1].at = 256;
      },
      "contradicts those of other parts of its buffer");
  expectRefused([](MemoryProblem &problem) { problem.buffers[0].at = 64; },
                "at which the containing buffer cannot lie");
  expectRefused([](MemoryProblem &problem) { problem.buffers[4].at = 576; },
                "overlaps with that of buffer 2");
  expectRefused([](MemoryProblem &problem) { problem.buffers[3].mayReplace = {5}; },
                "the buffer cannot replace buffer 5");
  expectRefused([](MemoryProblem &problem) { problem.buffers[3].mayReplace = {3}; },
                "the buffer cannot replace buffer 3");
  expectRefused([](MemoryProblem &problem) { problem.buffers[3].mayReplace = {0}; },
                "not live when this buffer begins");
  expectRefused([](MemoryProblem &problem) { problem.buffers[3].mayReplace = {4}; }, "another size");
}

} // namespace tilerig
