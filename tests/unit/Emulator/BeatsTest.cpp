// Tests of the beat-by-beat mode of the emulator, which executes the rows of instructions in order of time.
// Programs that are proved free of races give the same bits and cycles as the fast mode and the timeline;
// errors of other programs are caught at the instruction at fault.
#include "emulator/Beats/BeatsSession.h"
#include "emulator/Observe/TimedRun.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilerig {
using namespace emulator;
namespace {

Assembly assemble(const std::string &name) {
  auto text = readText(test::examplePrograms() + "/" + name + ".trasm");
  EXPECT_TRUE(text);
  auto assembly = parseAssembly(*text, name);
  EXPECT_TRUE(assembly) << assembly.error().message();
  return *std::move(assembly);
}

// Names of the example programs whose test (expected outputs, or an expected fault) `states` accepts.
std::vector<std::string> programsWith(bool (*states)(const ProgramTest &)) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(test::examplePrograms())) {
    if (entry.path().extension() != ".trasm")
      continue;
    const auto text = readText(entry.path());
    const auto assembly = parseAssembly(*text, entry.path());
    if (assembly && states(assembly->test))
      names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

// The program's inputs; zeros for those that the text does not set.
TensorMap inputsOf(const Assembly &assembly) {
  TensorMap inputs = assembly.test.inputs;
  for (const proto::Tensor &tensor : assembly.program.metadata.tensors())
    if (tensor.role() == proto::INPUT && !inputs.find(tensor.name())) {
      EXPECT_TRUE(inputs.add(tensor.name(), Tensor(*dtypeNamed(tensor.dtype()),
                                                   Shape(tensor.shape().begin(), tensor.shape().end()))));
    }
  return inputs;
}

BeatsRun runBeats(const Assembly &assembly, const BeatsOptions &options = {}) {
  auto session = BeatsSession::load(assembly.program);
  EXPECT_TRUE(session) << session.error().message();
  auto run = (*session)->run(inputsOf(assembly), options);
  EXPECT_TRUE(run) << run.error().message();
  return *std::move(run);
}

// The cycles of all stages according to the timeline, which computes when instructions run, but not their
// results.
uint64_t cyclesOf(const Program &program, std::optional<uint64_t> jitter) {
  const RunStatistics statistics = timeProgram(program, {.delays = {}, .jitter = jitter});
  uint64_t cycles = 0;
  for (const PhaseStatistics &phase : statistics.phases)
    cycles += phase.cycles;
  return cycles;
}

class ExampleBeats : public testing::TestWithParam<std::string> {};

TEST_P(ExampleBeats, GiveTheSameBitsInTheSameCycles) {
  const Assembly assembly = assemble(GetParam());
  for (bool everyBeat : {false, true})
    for (std::optional<uint64_t> jitter : {std::optional<uint64_t>(), {1}, {2}, {3}}) {
      const BeatsRun run = runBeats(assembly, {.jitter = jitter, .everyBeat = everyBeat});
      ASSERT_TRUE(run.ended);
      EXPECT_TRUE(run.faults.empty()) << describe(run.faults[0], assembly.program);
      EXPECT_EQ(run.cycles, cyclesOf(assembly.program, jitter));
      for (const NamedTensor &expected : assembly.test.outputs) {
        const Tensor *got = run.outputs.find(expected.name);
        ASSERT_TRUE(got);
        EXPECT_TRUE(identical(*got, expected.tensor)) << expected.name;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ExampleBeats, testing::ValuesIn(programsWith([](const ProgramTest &test) {
                           return test.problems.empty() && !test.outputs.empty();
                         })),
                         [](const auto &info) { return info.param; });

class ExampleFaults : public testing::TestWithParam<std::string> {};

TEST_P(ExampleFaults, EqualTheExpectedOnes) {
  const Assembly assembly = assemble(GetParam());
  const BeatsRun run = runBeats(assembly);
  EXPECT_FALSE(run.ended);
  ASSERT_EQ(run.faults.size(), 1u);
  const Fault &fault = run.faults[0];
  const auto category = EnumNames<FaultCategory>::values[static_cast<size_t>(fault.category())];
  EXPECT_EQ(category, assembly.test.fault->kind);
  const std::string text = describe(fault, assembly.program);
  EXPECT_NE(text.find(assembly.test.fault->text), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(All, ExampleFaults, testing::ValuesIn(programsWith([](const ProgramTest &test) {
                           return test.fault.has_value();
                         })),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace tilerig
