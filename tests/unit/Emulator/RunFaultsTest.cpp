// Tests of the command `tilerig run` on programs that are wrong or not proved free of races, and on defective
// hardware.
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/Writer.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Emulator/AssembledRun.h"

namespace tilerig::test {
using namespace emulator;
namespace {

// A store that reads eight sevens and eight uninitialised bytes.
const std::string halfWritten = R"(
.output "y" uint8 [16] ddr[0x1000]
    fill value=0x7 output=u8 ocm[0x40] <8>
    sync engine=dma_out on=pe
    store source=u8 ocm[0x40] <16> destination=u8 ddr[0x1000] <16>
    halt
)";
const std::string whole = R"(
.output "y" uint8 [8] ddr[0x1000]
    fill value=0x7 output=u8 ocm[0x40] <8>
    sync engine=dma_out on=pe
    store source=u8 ocm[0x40] <8> destination=u8 ddr[0x1000] <8>
    halt
)";

class RunFaults : public testing::Test {
protected:
  Outcome run(const std::string &text, std::vector<std::string> words) {
    Program program = assembled(text).program;
    if (!prove(program))
      program.metadata.set_allow_unproved(true);
    EXPECT_TRUE(writeProgram(program, folder.path("p.trb")));
    words.insert(words.begin(), {commandFolder() + "/tilerig-run", folder.path("p.trb")});
    return runProgram(words);
  }
  static bool contains(const std::string &text, std::string_view part) {
    return text.find(part) != text.npos;
  }

  TemporaryFolder folder;
};

TEST_F(RunFaults, FastModeRefusesAProgramWithoutAProof) {
  const Outcome outcome = run(halfWritten, {});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_TRUE(contains(outcome.errors, "carries no proof")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "timed mode")) << outcome.errors;
}

TEST_F(RunFaults, AFaultEndsATimedRunWithItsPlace) {
  const Outcome outcome = run(halfWritten, {"--mode", "timed", "-o", folder.path("y.npz")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_TRUE(contains(outcome.errors, "uninitialised_read at stage 'main', tile 0, dma_out, instruction 2"))
      << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "OCM of tile 0 0x48..0x4f")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "simulated row by row, because the program has no proof"))
      << outcome.output;
  EXPECT_FALSE(readTensors(folder.path("y.npz")));
}

TEST_F(RunFaults, FaultsAreListedForMachinesAndTheRunGoesOnIfAsked) {
  const Outcome outcome =
      run(halfWritten, {"--mode", "timed", "--on-fault", "continue", "--json", "-o", folder.path("y.npz")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(outcome.errors, "");
  const auto document = nlohmann::json::parse(outcome.output);
  EXPECT_TRUE(document["ended"]);
  EXPECT_GT(document["cycles"], 0);
  ASSERT_EQ(document["faults"].size(), 1u);
  const auto &fault = document["faults"][0];
  EXPECT_EQ(fault["category"], "program_fault");
  EXPECT_EQ(fault["kind"], "uninitialised_read");
  EXPECT_EQ(fault["place"]["tile"], 0);
  EXPECT_EQ(fault["place"]["engine"], "dma_out");
  EXPECT_EQ(fault["place"]["instruction"], 2);
  EXPECT_EQ(fault["memory"], "ocm");
  EXPECT_EQ(fault["address"], 0x48);
  EXPECT_EQ(fault["bytes"], 8);
  EXPECT_EQ(document["error"]["kind"], "invalidInput");
  const auto outputs = readTensors(folder.path("y.npz"));
  ASSERT_TRUE(outputs);
  std::vector<int64_t> expected = many(16, 7);
  std::fill(expected.begin() + 8, expected.end(), 0xA5);
  EXPECT_EQ(integersOf(*outputs, "y"), expected);
}

TEST_F(RunFaults, FaultFilesAreRead) {
  EXPECT_TRUE(writeText(folder.path("dead.json"), R"({"faults": [{"kind": "dead_tile", "tile": 0}]})"));
  for (const char *mode : {"fast", "timed"}) {
    const Outcome outcome =
        run(whole, {"--mode", mode, "--fault", folder.path("dead.json"), "-o", folder.path("y.npz")});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(integersOf(*readTensors(folder.path("y.npz")), "y"), many(8, 0));
  }
}

TEST_F(RunFaults, DefectsOfTimingRunByBeats) {
  EXPECT_TRUE(
      writeText(folder.path("late.json"),
                R"({"faults": [{"kind": "delayed_transfer", "tile": 0, "transfer": 0, "cycles": 90}]})"));
  const auto cycles = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--mode", "timed", "--json"});
    return nlohmann::json::parse(run(whole, words).output)["cycles"].get<uint64_t>();
  };
  EXPECT_EQ(cycles({"--fault", folder.path("late.json")}), cycles({}) + 90);
  const Outcome fast = run(whole, {"--fault", folder.path("late.json")});
  EXPECT_EQ(fast.exitCode, 2);
  EXPECT_TRUE(contains(fast.errors, "--mode timed")) << fast.errors;
}

TEST_F(RunFaults, ABadFaultFileIsRefusedByField) {
  EXPECT_TRUE(writeText(folder.path("bad.json"), R"({"faults": [{"kind": "dead_tile", "tile": 9}]})"));
  const Outcome outcome = run(whole, {"--fault", folder.path("bad.json")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_TRUE(contains(outcome.errors, "faults[0].tile: 9 must be below 1")) << outcome.errors;
}

TEST_F(RunFaults, ABadValueInAProvedProgramIsAFault) {
  const Outcome outcome = run(R"(
.constant data=0x1000 i32 [6 0]
    load source=i32 ddr[data] <2> destination=i32 ocm[0] <2>
    sync engine=pe on=dma_in
    binary function=div a=i32 ocm[0] b=i32 ocm[4] output=i32 ocm[0x40]
    halt
)",
                              {"--json"});
  EXPECT_EQ(outcome.exitCode, 3);
  const auto document = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(document["faults"].size(), 1u);
  EXPECT_EQ(document["faults"][0]["kind"], "data_fault");
  EXPECT_EQ(document["faults"][0]["place"]["engine"], "pe");
}

} // namespace
} // namespace tilerig::test
