// Tests of the programs in tests/programs: correct ones are proved free of races, deliberately broken ones
// are refused with the problems that their text states, and all survive being printed and parsed.
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Base/Support/File.h"
#include "isa/Program/Writer.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace tilerig {
namespace {

std::string textOf(const std::string &name) {
  auto text = readText(test::examplePrograms() + "/" + name + ".trasm");
  EXPECT_TRUE(text) << text.error().message();
  return text ? *text : std::string();
}

// The name of an example program by its path: "types/copy" for .../types/copy.trasm.
std::string programName(const std::filesystem::path &path) {
  return std::filesystem::relative(path, test::examplePrograms()).replace_extension();
}

std::vector<std::string> programNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(test::examplePrograms()))
    if (entry.path().extension() == ".trasm")
      names.push_back(programName(entry.path()));
  std::ranges::sort(names);
  return names;
}

class ExamplePrograms : public testing::TestWithParam<std::string> {};

TEST_P(ExamplePrograms, HaveTheProblemsThatTheyState) {
  auto assembly = parseAssembly(textOf(GetParam()), GetParam() + ".trasm");
  ASSERT_TRUE(assembly) << assembly.error().message();
  const auto &expected = assembly->test.problems;
  Analysis analysis = analyse(assembly->program);
  for (const Problem &problem : analysis.problems)
    EXPECT_TRUE(std::ranges::any_of(expected, [&](const auto &report) {
      return report.kind == nameOf(problem.kind);
    })) << describe(problem, assembly->program);
  for (const ExpectedReport &report : expected)
    EXPECT_TRUE(std::ranges::any_of(analysis.problems,
                                    [&](const Problem &problem) {
                                      return nameOf(problem.kind) == report.kind &&
                                             describe(problem, assembly->program).find(report.text) !=
                                                 std::string::npos;
                                    }))
        << GetParam() << ".trasm:" << report.line << ": not found: " << report.kind << " " << report.text;
  EXPECT_EQ(static_cast<bool>(prove(assembly->program)), expected.empty());
}

TEST_P(ExamplePrograms, SurviveBeingPrinted) {
  auto assembly = parseAssembly(textOf(GetParam()), GetParam() + ".trasm");
  ASSERT_TRUE(assembly) << assembly.error().message();
  Program &program = assembly->program;
  if (assembly->test.problems.empty()) {
    ASSERT_TRUE(prove(program));
  }
  std::string printed = printProgram(program);
  auto again = parseProgram(printed, "printed");
  ASSERT_TRUE(again) << again.error().message() << "\n" << printed;
  EXPECT_EQ(printProgram(*again), printed);
  if (std::ranges::any_of(assembly->test.problems,
                          [](const auto &report) { return report.kind == "illegal_instruction"; }))
    return; // a program with an illegal instruction cannot be stored in a file
  auto before = serialiseProgram(program), after = serialiseProgram(*again);
  ASSERT_TRUE(before) << before.error().message();
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_TRUE(*before == *after);
}

INSTANTIATE_TEST_SUITE_P(All, ExamplePrograms, testing::ValuesIn(programNames()), [](const auto &info) {
  std::string name = info.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

// The collection has a broken program for every kind of problem. Two programs are checked by name, because
// the demonstration uses them.
TEST(ExampleCollection, ShowsWhatTheAnalyserFinds) {
  std::set<std::string> kinds;
  size_t whole = 0;
  for (const std::string &name : programNames()) {
    auto assembly = parseAssembly(textOf(name), name);
    ASSERT_TRUE(assembly);
    whole += assembly->test.problems.empty();
    for (const ExpectedReport &report : assembly->test.problems)
      kinds.insert(report.kind);
  }
  EXPECT_GE(whole, 8u);
  for (const char *kind :
       {"race", "deadlock", "uninitialised_read", "semaphore_left_over", "barrier_mismatch"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  EXPECT_TRUE(std::filesystem::exists(test::examplePrograms() + "/halo.trasm"));
  EXPECT_TRUE(std::filesystem::exists(test::examplePrograms() + "/halo_without_wait.trasm"));
}

// Removes from an assembly text all comment lines, and blank lines at the beginning.
std::string withoutComments(const std::string &text) {
  std::string rest;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    at = end;
    bool comment = line.find_first_not_of(' ') != line.npos && line[line.find_first_not_of(' ')] == ';';
    if (!comment && !(rest.empty() && line == "\n"))
      rest += line;
  }
  return rest;
}

// Golden file of the canonical form: it contains every instruction, and the disassembler prints exactly its
// text.
TEST(EveryInstruction, IsPrintedInCanonicalForm) {
  std::string text = textOf("every_instruction");
  auto program = parseProgram(text, "every_instruction.trasm");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_EQ(printProgram(*program), withoutComments(text));
  std::set<size_t> shown;
  for (const auto &code : std::get<DeviceStage>(program->stages[0].work).tiles)
    for (const Instruction &instruction : code)
      shown.insert(instruction.index());
  EXPECT_EQ(shown.size(), std::variant_size_v<Instruction>);
}

} // namespace
} // namespace tilerig
