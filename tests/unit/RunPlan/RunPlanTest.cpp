// Run plans: what is stored in a program is the plan of this program, or is not used, and a run with it gives the bits of
// a run that makes every copy as the program says.
#include "isa/RunPlan/RunPlan.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/RunPlan/EncodePlan.h"
#include "tests/support/Effort.h"
#include "tests/unit/Emulator/AssembledRun.h"
#include "tests/unit/Emulator/RandomProgram.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

RandomProgram programOf(uint64_t seed) {
  static const Machine tiny = *loadMachine("tiny"), tr64 = *loadMachine("tr64");
  const bool isTiny = seed % 3 != 0;
  return raceFreeProgram(seed, isTiny ? tiny : tr64, static_cast<unsigned>(1 + seed % (isTiny ? 4 : 7)), 12);
}

// The outputs of two inferences in a row.
std::vector<TensorMap> runTwice(const RandomProgram &random, bool literal) {
  auto session = emulator::Session::load(random.program, {.threads = 2, .literal = literal});
  EXPECT_TRUE(session) << session.error().message();
  std::vector<TensorMap> runs;
  for (int run = 0; session && run < 2; ++run) {
    auto outputs = (*session)->run(random.inputs);
    EXPECT_TRUE(outputs) << outputs.error().message();
    if (outputs)
      runs.push_back(*std::move(outputs));
  }
  return runs;
}

bool areEqual(const std::vector<TensorMap> &left, const std::vector<TensorMap> &right) {
  return std::ranges::equal(left, right, [](const TensorMap &a, const TensorMap &b) {
    return std::ranges::equal(a, b, [](const NamedTensor &x, const NamedTensor &y) {
      return x.name == y.name && identical(x.tensor, y.tensor);
    });
  });
}

void expectTheBitsOfEveryCopy(RandomProgram &random) {
  const std::vector<TensorMap> expected = runTwice(random, true);
  EXPECT_TRUE(areEqual(runTwice(random, false), expected));
  storeRunPlan(random.program);
  EXPECT_TRUE(areEqual(runTwice(random, false), expected)) << "stored plan";
}

TEST(RunPlan, GivesTheBitsOfEveryCopy) {
  for (uint64_t seed = 0; seed < rounds(60); ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram random = programOf(seed);
    ASSERT_TRUE(prove(random.program));
    expectTheBitsOfEveryCopy(random);
  }
}

// The first inference reads the constant that the initial stage has loaded, and then overwrites it, so the second one
// reads another value at the same place.
TEST(RunPlan, HoldsForInferencesThatOverwriteWhatTheInitialStagesWrote) {
  Assembly assembly = assembled(R"(.machine tiny
.tiles 1
.constant 0x5000 i32 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
.input "x" int32 [16] ddr[0x1000]
.output "y" int32 [16] ddr[0x3000]
.stage "pinned" initial
.tile 0
 load source=i32 ddr[0x5000] <16> destination=i32 ocm[0x100] <16>
 halt
.stage "main" inference
.tile 0
 activate finish={function=neg} input=i32 ocm[0x100] <16> output=i32 ocm[0x200] <16>
 sync engine=dma_out on=pe
 store source=i32 ocm[0x200] <16> destination=i32 ddr[0x3000] <16>
 sync engine=dma_in on=pe
 load source=i32 ddr[0x1000] <16> destination=i32 ocm[0x100] <16>
 halt
)");
  ASSERT_TRUE(prove(assembly.program));
  Tensor x(DType::i32, {16});
  for (int32_t &element : x.mutableAs<int32_t>())
    element = 100;
  RandomProgram program{std::move(assembly.program), {}};
  ASSERT_TRUE(program.inputs.add("x", x));
  const std::vector<TensorMap> runs = runTwice(program, true);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(integersOf(runs[0], "y")[3], -4);
  EXPECT_EQ(integersOf(runs[1], "y")[3], -100);
  expectTheBitsOfEveryCopy(program);
}

void expectEqual(const RunPlan &got, const RunPlan &wanted) {
  ASSERT_EQ(got.tasks.size(), wanted.tasks.size());
  for (size_t stage = 0; stage < got.tasks.size(); ++stage) {
    EXPECT_EQ(got.tasks[stage].places, wanted.tasks[stage].places);
    EXPECT_EQ(got.tasks[stage].graph.firstSuccessor, wanted.tasks[stage].graph.firstSuccessor);
    EXPECT_EQ(got.tasks[stage].graph.successors, wanted.tasks[stage].graph.successors);
    EXPECT_EQ(got.tasks[stage].graph.numPredecessors, wanted.tasks[stage].graph.numPredecessors);
    EXPECT_EQ(got.origins[stage].reads, wanted.origins[stage].reads);
    EXPECT_EQ(got.origins[stage].needed, wanted.origins[stage].needed);
    EXPECT_EQ(got.origins[stage].inputs, wanted.origins[stage].inputs);
  }
}

TEST(RunPlan, IsStoredAsItIs) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomProgram random = programOf(seed);
    ASSERT_TRUE(prove(random.program));
    storeRunPlan(random.program);
    const auto stored = storedRunPlan(random.program);
    ASSERT_TRUE(stored && *stored);
    expectEqual(**stored, planRun(random.program));
  }
}

TEST(RunPlan, IsNotUsedForOtherContents) {
  RandomProgram random = programOf(1);
  ASSERT_TRUE(prove(random.program));
  storeRunPlan(random.program);
  random.program.metadata.mutable_tensors(0)->set_name("another");
  ASSERT_TRUE(prove(random.program));
  auto stored = storedRunPlan(random.program);
  ASSERT_TRUE(stored);
  EXPECT_FALSE(*stored);
  random.program.proof.reset();
  stored = storedRunPlan(random.program);
  ASSERT_TRUE(stored);
  EXPECT_FALSE(*stored);
}

TEST(RunPlan, OfAnotherProgramIsRefused) {
  RandomProgram random = programOf(1), other = programOf(2);
  ASSERT_TRUE(prove(random.program) && prove(other.program));
  const auto plan = decodePlan(encodePlan(planRun(other.program), other.program), random.program);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message().find("run plan: the stored plan is not one of this program: "),
            std::string::npos)
      << plan.error().message();
}

// Bytes that somebody has written: a plan that passes the checks may give wrong bits, but harms nothing else.
TEST(RunPlan, OfDamagedBytesIsRefusedOrHarmless) {
  uint64_t refused = 0, run = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomProgram random = programOf(seed % 12);
    ASSERT_TRUE(prove(random.program));
    std::vector<std::byte> bytes = encodePlan(planRun(random.program), random.program);
    Random changes(seed);
    for (uint64_t i = 0; i <= seed % 3; ++i)
      bytes[changes.below(bytes.size())] = static_cast<std::byte>(changes.below(256));
    if (!decodePlan(bytes, random.program)) {
      ++refused;
      continue;
    }
    random.program.runPlan = {random.program.proof->content_hash(), bytes, nullptr};
    auto session = emulator::Session::load(random.program, {.threads = 1});
    ASSERT_TRUE(session) << session.error().message();
    static_cast<void>((*session)->run(random.inputs));
    ++run;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(run, 0u);
}

} // namespace
} // namespace tilerig::test
