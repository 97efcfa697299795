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
      EXPECT_TRUE(!order || problem.kind == ProblemKind::waitNeverSatisfied);
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

// The programs of tests/programs that are proved.
std::vector<std::pair<std::string, Program>> provedPrograms() {
  std::vector<std::pair<std::string, Program>> programs;
  for (const auto &entry :
       std::filesystem::directory_iterator(tilerig::test::sourceFolder() + "/tests/programs"))
    if (entry.path().extension() == ".trasm")
      if (auto program = read(entry.path()); program && analyse(*program).proved())
        programs.emplace_back(entry.path().filename(), *std::move(program));
  std::ranges::sort(programs, {}, &std::pair<std::string, Program>::first);
  return programs;
}

// Whether the instruction is the only signal of its semaphore. Without it, nothing says who should send one.
bool isOnlySignal(const DeviceStage &stage, const Instruction &instruction) {
  const auto *own = std::get_if<Signal>(&instruction);
  size_t others = 0;
  for (const auto &code : stage.tiles)
    for (const Instruction &other : code)
      if (const auto *signal = std::get_if<Signal>(&other); own && signal)
        others += signal->tile == own->tile && signal->semaphore == own->semaphore;
  return own && others == 1;
}

// Deletes each instruction of a type in turn. Of programs that are then not proved, counts those that are proved again with what is
// missing, and those where it belongs to the layer of the deleted instruction.
template <class T>
void expectFoundAgain(size_t leastDeleted) {
  size_t deleted = 0, proved = 0, sameLayer = 0;
  for (const auto &[name, whole] : provedPrograms())
    for (size_t stage = 0; stage < whole.stages.size(); ++stage) {
      const auto *device = std::get_if<DeviceStage>(&whole.stages[stage].work);
      for (size_t tile = 0; device && tile < device->tiles.size(); ++tile)
        for (size_t i = 0; i < device->tiles[tile].size(); ++i) {
          if (!std::holds_alternative<T>(device->tiles[tile][i]) ||
              isOnlySignal(*device, device->tiles[tile][i]))
            continue;
          Program program = whole;
          auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles[tile];
          code.erase(code.begin() + static_cast<ptrdiff_t>(i));
          const Analysis analysis = analyse(program);
          if (analysis.proved())
            continue;
          ++deleted;
          for (const Problem &problem : analysis.problems)
            if (const auto order = missingOrder(program, findingOf(problem), countsOf(analysis));
                order && order->isEnough) {
              SCOPED_TRACE(name + ", " + std::to_string(tile) + ", " + std::to_string(i));
              EXPECT_TRUE(analyse(withAdded(program, *order)).proved());
              ++proved;
              sameLayer += order->layer == layerOf(device->tiles[tile][i]);
              break;
            }
        }
    }
  EXPECT_GE(deleted, leastDeleted);
  EXPECT_EQ(proved, deleted);
  EXPECT_EQ(sameLayer, deleted);
}

TEST(MissingOrder, FindsADeletedSignalAgain) { expectFoundAgain<Signal>(4); }
TEST(MissingOrder, FindsADeletedWaitAgain) { expectFoundAgain<Wait>(4); }
TEST(MissingOrder, FindsADeletedSyncAgain) { expectFoundAgain<Sync>(10); }

TEST(MissingOrder, IsASignalAndAWaitBetweenTiles) {
  auto program = read(tilerig::test::sourceFolder() + "/tests/programs/halo_without_wait.trasm");
  ASSERT_TRUE(program);
  // Without the signals, too, for which a wait would do.
  for (auto &code : std::get<DeviceStage>(program->stages[0].work).tiles)
    std::erase_if(code, [](const Instruction &one) {
      return std::holds_alternative<Signal>(one) || std::holds_alternative<Wait>(one);
    });
  const Analysis analysis = analyse(*program);
  const auto race = std::ranges::find(analysis.problems, ProblemKind::race, &Problem::kind);
  ASSERT_NE(race, analysis.problems.end());
  const auto order = missingOrder(*program, findingOf(*race), countsOf(analysis));
  ASSERT_TRUE(order);
  ASSERT_EQ(order->added.size(), 2U);
  EXPECT_TRUE(order->added[0].text.starts_with("signal "));
  EXPECT_TRUE(order->added[1].text.starts_with("wait "));
  const std::string line = missingOrderLine(missingOrderRecord(*order, *program));
  // The race in the other direction remains.
  EXPECT_TRUE(line.ends_with("; other problems remain")) << line;
}

// A gather and the load of its indices are on the same engine, which cannot wait for itself; the sequencer can.
TEST(MissingOrder, IsASyncOfTheSequencerWithinAnEngine) {
  const auto program = read(tilerig::test::sourceFolder() + "/tests/programs/gather_without_sync.trasm");
  ASSERT_TRUE(program);
  const Explained result = explain(*program);
  EXPECT_GE(result.races, 1U);
  EXPECT_EQ(result.explained, result.races);
  EXPECT_TRUE(result.isEnough);
}

} // namespace
} // namespace tilerig::verify
