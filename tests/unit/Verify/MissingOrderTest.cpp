// Tests of the explanation of races, on the programs of tests/programs: the instructions that it names are inserted here, and
// the program is analysed again.
#include "verify/Findings/MissingOrder.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "tests/support/Folders.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

FindingCounts countsOf(const Analysis &analysis) {
  FindingCounts counts;
  for (size_t kind = 0; kind < numProblemKinds; ++kind)
    if (analysis.counts[kind])
      counts[std::string(nameOf(static_cast<ProblemKind>(kind)))] = analysis.counts[kind];
  return counts;
}

Program withAdded(Program program, const MissingOrder &order) {
  for (const AddedInstruction &added : order.added) {
    const auto instruction = parseInstruction(added.text);
    EXPECT_TRUE(instruction) << added.text;
    auto &code = std::get<DeviceStage>(program.stages[added.stage].work).tiles[added.tile];
    code.insert(code.begin() + added.before, *instruction);
  }
  return program;
}

struct Explained {
  size_t races = 0, explained = 0;
  bool isEnough = false;
};

// Explains every race of a program, and checks each explanation.
Explained explain(const Program &program) {
  const Analysis analysis = analyse(program);
  Explained result;
  for (const Problem &problem : analysis.problems) {
    const auto order = missingOrder(program, findingOf(problem), countsOf(analysis));
    if (problem.kind != ProblemKind::race) {
      EXPECT_FALSE(order);
      continue;
    }
    ++result.races;
    if (!order)
      continue;
    ++result.explained;
    const Analysis after = analyse(withAdded(program, *order));
    EXPECT_LT(after.count(ProblemKind::race), analysis.count(ProblemKind::race));
    EXPECT_EQ(after.count(ProblemKind::deadlock), analysis.count(ProblemKind::deadlock));
    EXPECT_EQ(after.proved(), order->isEnough);
    result.isEnough |= order->isEnough;
  }
  return result;
}

Result<Program> read(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseProgram(text, path);
}

TEST(MissingOrder, OrdersTheAccessesOfRaces) {
  size_t races = 0, explained = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(tilerig::test::sourceFolder() + "/tests/programs"))
    if (entry.path().extension() == ".trasm") {
      const auto program = read(entry.path());
      ASSERT_TRUE(program) << program.error().message();
      const Explained result = explain(*program);
      races += result.races;
      explained += result.explained;
    }
  EXPECT_GE(races, 4U);
  EXPECT_GE(explained, 2U);
}

TEST(MissingOrder, IsASignalAndAWaitBetweenTiles) {
  const auto program = read(tilerig::test::sourceFolder() + "/tests/programs/halo_without_wait.trasm");
  ASSERT_TRUE(program);
  const Analysis analysis = analyse(*program);
  const auto race = std::ranges::find(analysis.problems, ProblemKind::race, &Problem::kind);
  ASSERT_NE(race, analysis.problems.end());
  const auto order = missingOrder(*program, findingOf(*race), countsOf(analysis));
  ASSERT_TRUE(order);
  ASSERT_EQ(order->added.size(), 2U);
  EXPECT_TRUE(order->added[0].text.starts_with("signal "));
  EXPECT_TRUE(order->added[1].text.starts_with("wait "));
  const std::string line = missingOrderLine(missingOrderRecord(*order, *program));
  // The signal for which nothing waits in this program remains.
  EXPECT_TRUE(line.ends_with("; other problems remain")) << line;
}

// A gather and the load of its indices are on the same engine, which cannot wait for itself.
TEST(MissingOrder, IsNotFoundForTwoInstructionsOfOneEngine) {
  const auto program = read(tilerig::test::sourceFolder() + "/tests/programs/gather_without_sync.trasm");
  ASSERT_TRUE(program);
  const Explained result = explain(*program);
  EXPECT_GE(result.races, 1U);
  EXPECT_EQ(result.explained, 0U);
}

} // namespace
} // namespace tilerig::verify
