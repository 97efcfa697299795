// Runs the programs of tests/programs: every output equals the one stated in the text, bit for bit, on one
// thread and on several, in the first run and in the second.
#include "emulator/Observe/TimedRun.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Program/Relocate.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilerig {
using namespace emulator;
namespace {

Result<Assembly> assemble(const std::string &name) {
  TILERIG_TRY(std::string text, readText(test::examplePrograms() + "/" + name + ".trasm"));
  return parseAssembly(text, name + ".trasm");
}

// The name of an example program by its path: "types/copy" for .../types/copy.trasm.
std::string nameOf(const std::filesystem::path &path) {
  return std::filesystem::relative(path, test::examplePrograms()).replace_extension();
}

// Names of the programs that state expected outputs.
std::vector<std::string> runnablePrograms() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(test::examplePrograms())) {
    const std::string name = nameOf(entry.path());
    if (entry.path().extension() != ".trasm")
      continue;
    auto assembly = assemble(name);
    if (assembly && assembly->test.problems.empty() && !assembly->test.outputs.empty())
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

class ExampleRuns : public testing::TestWithParam<std::string> {};

TEST_P(ExampleRuns, GiveWhatTheTextExpects) {
  auto assembly = assemble(GetParam());
  ASSERT_TRUE(assembly) << assembly.error().message();
  ASSERT_TRUE(prove(assembly->program));
  for (const SessionOptions &options :
       {SessionOptions{1}, SessionOptions{2}, SessionOptions{4}, SessionOptions{1, true}}) {
    auto session = Session::load(assembly->program, options);
    ASSERT_TRUE(session) << session.error().message();
    for (int repeat = 0; repeat < 2; ++repeat) {
      auto outputs = (*session)->run(assembly->test.inputs);
      ASSERT_TRUE(outputs) << outputs.error().message();
      for (const NamedTensor &expected : assembly->test.outputs) {
        const Tensor *got = outputs->find(expected.name);
        ASSERT_TRUE(got) << expected.name;
        EXPECT_TRUE(identical(*got, expected.tensor))
            << expected.name << " with " << options.threads << " threads";
      }
    }
  }
}

// A program moved to another base address in DDR can still be proved free of races, and gives the same
// outputs.
TEST_P(ExampleRuns, GiveTheSameAtAnotherBaseInDdr) {
  auto assembly = assemble(GetParam());
  ASSERT_TRUE(assembly) << assembly.error().message();
  assembly->program.metadata.set_ddr_relocatable(true);
  ASSERT_TRUE(prove(assembly->program));
  auto moved = relocated(assembly->program, uint64_t{1} << 28);
  ASSERT_TRUE(moved) << moved.error().message();
  ASSERT_TRUE(proofHolds(*moved));
  Program anew = *moved;
  ASSERT_TRUE(prove(anew));
  EXPECT_EQ(anew.proof->SerializeAsString(), moved->proof->SerializeAsString());
  EXPECT_EQ(timeProgram(*moved, {}).cycles(), timeProgram(assembly->program, {}).cycles());
  auto session = Session::load(*std::move(moved), {1});
  ASSERT_TRUE(session) << session.error().message();
  auto outputs = (*session)->run(assembly->test.inputs);
  ASSERT_TRUE(outputs) << outputs.error().message();
  for (const NamedTensor &expected : assembly->test.outputs) {
    ASSERT_TRUE(outputs->find(expected.name)) << expected.name;
    EXPECT_TRUE(identical(*outputs->find(expected.name), expected.tensor)) << expected.name;
  }
}

TEST(ExamplePrograms, CountAccumulatorsThatOverflow) {
  for (const auto &[name, overflows] : {std::pair("overflow", 2u), std::pair("k_split", 0u)}) {
    auto assembly = assemble(name);
    ASSERT_TRUE(assembly) << assembly.error().message();
    ASSERT_TRUE(prove(assembly->program));
    auto session = Session::load(assembly->program, {.threads = 1});
    ASSERT_TRUE(session) << session.error().message();
    ASSERT_TRUE((*session)->run(assembly->test.inputs));
    EXPECT_EQ((*session)->overflows(), overflows) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExampleRuns, testing::ValuesIn(runnablePrograms()), [](const auto &info) {
  std::string name = info.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

} // namespace
} // namespace tilerig
