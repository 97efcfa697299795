// Tests of bugs injected into finished programs: how they change small programs, instruction by instruction, and
// what the analyser reports.
#include "isa/Bugs/Binary.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Program/Verify.h"
#include "isa/Program/Writer.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using Code = std::vector<Instruction>;

Program exampleNamed(const std::string &name) {
  const std::string path = test::examplePrograms() + "/" + name + ".trasm";
  const auto text = readText(path);
  EXPECT_TRUE(text);
  auto program = parseProgram(*text, path);
  EXPECT_TRUE(program) << program.error().message();
  return *std::move(program);
}
const Code &codeOf(const Program &program, size_t tile) {
  return std::get<DeviceStage>(program.stages[0].work).tiles[tile];
}

// Injects a bug into a program whose only layer has no name, and checks that the result is legal and marked
// as not proved free of races.
InjectedBug injected(const std::string &bug, Program &program) {
  const BugChoice choice = *parseBugChoice(bug);
  const auto result = injectIntoProgram(choice, 1, program);
  EXPECT_TRUE(result) << result.error().message();
  EXPECT_EQ(program.metadata.injected_size(), 1);
  EXPECT_EQ(program.metadata.injected(0), printBugChoice(result->choice));
  EXPECT_TRUE(program.metadata.allow_unproved());
  EXPECT_FALSE(program.proof);
  const Status legal = verifyProgram(program);
  EXPECT_TRUE(legal) << legal.error().message();
  EXPECT_TRUE(serialiseProgram(program));
  return *result;
}

bool hasProblem(const Program &program, ProblemKind kind) { return analyse(program).count(kind) > 0; }

TEST(BinaryBugs, LoseAWait) {
  Program program = exampleNamed("halo");
  const Code clean = codeOf(program, 0), other = codeOf(program, 1);
  injected("wait-deleted:index=0", program);
  Code expected = clean;
  std::erase_if(expected,
                [](const Instruction &instruction) { return std::holds_alternative<Wait>(instruction); });
  EXPECT_EQ(codeOf(program, 0), expected);
  EXPECT_EQ(codeOf(program, 1), other);
  EXPECT_TRUE(hasProblem(program, ProblemKind::race));
}

TEST(BinaryBugs, WaitAfterTheUse) {
  Program program = exampleNamed("halo");
  Code expected = codeOf(program, 0);
  injected("wait-late:index=0", program);
  std::swap(expected[3], expected[4]); // the bug swaps a wait with the load behind the wait
  EXPECT_EQ(codeOf(program, 0), expected);
  EXPECT_TRUE(hasProblem(program, ProblemKind::race));
}

TEST(BinaryBugs, SignalTooEarly) {
  Program program = exampleNamed("halo");
  Code expected = codeOf(program, 1);
  injected("signal-early:index=1", program);
  std::swap(expected[0], expected[1]);
  EXPECT_EQ(codeOf(program, 1), expected);
  EXPECT_TRUE(hasProblem(program, ProblemKind::race));
}

TEST(BinaryBugs, LoseASignal) {
  Program program = exampleNamed("halo");
  injected("signal-deleted:index=0", program);
  EXPECT_EQ(codeOf(program, 0).size() + 1, codeOf(program, 1).size());
  EXPECT_TRUE(hasProblem(program, ProblemKind::waitNeverSatisfied) ||
              hasProblem(program, ProblemKind::deadlock));
}

// The field `pending` of a sync says how many of an engine's latest instructions may be unfinished, including
// syncs in its queue. When the bug deletes a sync from the queue of DMA-in, it also lowers `pending` of the
// next sync that waits for DMA-in, so that only the order made by the deleted sync is lost.
TEST(BinaryBugs, LoseASyncAlone) {
  Program program = exampleNamed("conv_double_buffer");
  const Code clean = codeOf(program, 0);
  injected("sync-deleted:index=1", program);
  const Code &code = codeOf(program, 0);
  ASSERT_EQ(code.size() + 1, clean.size());
  ASSERT_TRUE(std::holds_alternative<Sync>(clean[6]));
  EXPECT_EQ(code[6], clean[7]);
  Sync adapted = std::get<Sync>(clean[8]);
  EXPECT_EQ(adapted.pending, 2);
  adapted.pending = 1;
  EXPECT_EQ(std::get<Sync>(code[7]), adapted);
  EXPECT_EQ(code.back(), clean.back());
  EXPECT_TRUE(hasProblem(program, ProblemKind::race));
}

TEST(BinaryBugs, SwapInstructions) {
  Program program = exampleNamed("conv_double_buffer");
  Code expected = codeOf(program, 0);
  injected("instructions-swapped:index=0", program);
  std::swap(expected[0], expected[1]);
  EXPECT_EQ(codeOf(program, 0), expected);
}

TEST(BinaryBugs, AreRefusedWhereThereIsNoPlace) {
  Program program = exampleNamed("halo");
  const auto refused = [&](const std::string &text) {
    const BugChoice choice = *parseBugChoice(text);
    const auto result = injectIntoProgram(choice, 1, program);
    EXPECT_FALSE(result) << text;
    return result ? std::string() : result.error().message();
  };
  EXPECT_NE(refused("wait-phase").find("no instruction of the kind"), std::string::npos);
  EXPECT_NE(refused("wait-deleted:index=2").find("the value 2 of this parameter is not possible"),
            std::string::npos);
  EXPECT_NE(refused("bias-missing").find("stage 'operations'"), std::string::npos);
  EXPECT_NE(refused("wait-deleted@conv1").find("no layer of this name"), std::string::npos);
  EXPECT_EQ(program.metadata.injected_size(), 0);
}

} // namespace
} // namespace tilerig
