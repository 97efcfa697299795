// Tests of programs as MLIR modules: a program that is converted to a module, printed as text, parsed and
// converted back gives the same file.
#include "compiler/Isa/IR/Programs.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Program/Writer.h"
#include "tests/support/Folders.h"
#include "tests/support/Programs/SampleProgram.h"
#include "tests/unit/IsaDialect/Texts.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tilerig {
using namespace compiler;
namespace {

class ProgramModules : public testing::Test {
protected:
  // The program after conversion to text and back; empty if the text is refused, in which case `said` has the
  // reason.
  std::optional<Program> throughText(const Program &program, bool isGeneric) {
    said.clear();
    // Each module needs a context of its own, because resource names are unique in a context.
    mlir::MLIRContext writing{mlir::MLIRContext::Threading::DISABLED},
        reading{mlir::MLIRContext::Threading::DISABLED};
    reading.loadDialect<isa::IsaDialect>();
    auto module = isa::moduleOf(writing, program);
    auto again = test::parsed(reading, text = test::textOf(*module, isGeneric), said);
    if (!again)
      return {};
    EXPECT_EQ(test::textOf(*again, isGeneric), text);
    Result<Program> read = isa::programOf(*again->getBody()->getOps<isa::ProgramOp>().begin());
    EXPECT_TRUE(read) << read.error().message();
    return read ? std::optional(*std::move(read)) : std::nullopt;
  }

  void expectSurvives(Program program) {
    program.proof.reset(); // an MLIR module holds no proof that the program is free of races
    const auto before = serialiseProgram(program);
    ASSERT_TRUE(before) << before.error().message();
    for (const bool isGeneric : {false, true}) {
      const auto again = throughText(program, isGeneric);
      ASSERT_TRUE(again) << said << text.substr(0, 4000);
      const auto after = serialiseProgram(*again);
      ASSERT_TRUE(after) << after.error().message();
      ASSERT_TRUE(*before == *after) << text.substr(0, 4000);
    }
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string text, said;
};

TEST_F(ProgramModules, RandomProgramsSurvive) {
  test::Random random(3);
  const Machine machine = *loadMachine("tiny");
  for (int i = 0; i < 200; ++i)
    expectSurvives(test::sampleProgram(random, machine));
}

TEST_F(ProgramModules, AUserDefinedMachineSurvives) {
  Machine machine = *loadMachine("tiny");
  machine.name = "mine";
  machine.tile.semaphores = 17;
  expectSurvives(test::smallestProgram(machine));
}

// The example programs are the same after conversion to a module and back, including those whose instructions
// are ordered wrongly. Programs with an illegal instruction are refused, as they are when read from a file.
TEST_F(ProgramModules, ProgramsOfTestsSurvive) {
  size_t whole = 0, illegal = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(test::examplePrograms())) {
    if (entry.path().extension() != ".trasm")
      continue;
    SCOPED_TRACE(entry.path().string());
    const auto source = readText(entry.path().string());
    ASSERT_TRUE(source);
    const auto assembly = parseAssembly(*source, entry.path().filename().string());
    ASSERT_TRUE(assembly) << assembly.error().message();
    const auto &problems = assembly->test.problems;
    if (std::ranges::any_of(problems,
                            [](const auto &problem) { return problem.kind == "illegal_instruction"; })) {
      ++illegal;
      EXPECT_FALSE(throughText(assembly->program, false));
      EXPECT_FALSE(said.empty());
      continue;
    }
    ++whole;
    expectSurvives(assembly->program);
    // The program read back is proved free of races exactly if the original was.
    auto again = throughText(assembly->program, false);
    ASSERT_TRUE(again);
    EXPECT_EQ(static_cast<bool>(prove(*again)), problems.empty());
  }
  EXPECT_GE(whole, 19U) << illegal;
}

// Debug ranges (runs of instructions of one primitive) that follow from the instructions alone are not stored
// in the text, but computed when it is read. If the text is edited, they fit the new instructions.
TEST_F(ProgramModules, RangesFollowInstructions) {
  Program program = test::smallestProgram(*loadMachine("tiny")); // tile 0: sync, halt; tile 1: halt
  program.metadata.clear_debug();
  const auto addRange = [&](const char *primitive, uint32_t tile, uint32_t begin) {
    proto::DebugRange &range = *program.metadata.add_debug();
    range.set_primitive(primitive), range.set_tile(tile), range.set_begin(begin), range.set_end(begin + 1);
  };
  addRange("sync", 0, 0), addRange("halt", 0, 1), addRange("halt", 1, 0);
  program.proof.reset();
  auto module = isa::moduleOf(context, program);
  std::string changed = test::textOf(*module, false);
  ASSERT_NE(changed.find(" ranges "), std::string::npos) << changed;
  changed.insert(changed.find("isa.halt"), "isa.marker\n");
  mlir::MLIRContext reading{mlir::MLIRContext::Threading::DISABLED};
  reading.loadDialect<isa::IsaDialect>();
  auto again = test::parsed(reading, changed, said);
  ASSERT_TRUE(again) << said;
  const auto read = isa::programOf(*again->getBody()->getOps<isa::ProgramOp>().begin());
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->metadata.debug_size(), 4);
  EXPECT_EQ(read->metadata.debug(1).primitive(), "marker");
  EXPECT_EQ(read->metadata.debug(2).begin(), 2U);
  EXPECT_EQ(read->metadata.debug(2).end(), 3U);
}

// The location of an instruction lists the ONNX nodes of its layer in the layer's order.
TEST_F(ProgramModules, LocationsAreNodes) {
  Program program = test::smallestProgram(*loadMachine("tiny"));
  proto::Layer &layer = *program.metadata.mutable_layers(0);
  layer.clear_onnx_nodes();
  layer.add_onnx_nodes("first");
  layer.add_onnx_nodes("second");
  auto module = isa::moduleOf(context, program);
  std::vector<std::string> names;
  module->walk([&](mlir::Operation *operation) {
    if (!isa::isInstruction(operation))
      return;
    names.clear();
    for (const mlir::Location each : llvm::cast<mlir::FusedLoc>(operation->getLoc()).getLocations())
      names.push_back(llvm::cast<mlir::NameLoc>(each).getName().str());
  });
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
}

} // namespace
} // namespace tilerig
