// Tests of the command `tilerig run`, run as a program.
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Folders.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;
bool contains(const std::string &text, std::string_view part) { return text.find(part) != text.npos; }

// Fixture with the program host_stage.trasm: it negates x, sorts its four greatest elements on the host, and
// halves them.
class RunCommand : public testing::Test {
protected:
  void SetUp() override {
    auto text = readText(test::examplePrograms() + "/host_stage.trasm");
    ASSERT_TRUE(text);
    auto assembly = parseAssembly(*text, "host_stage.trasm");
    ASSERT_TRUE(assembly && prove(assembly->program));
    ASSERT_TRUE(writeProgram(assembly->program, folder.path("p.trb")));
    ASSERT_TRUE(writeTensors(folder.path("in.npz"), assembly->test.inputs));
    expected = *assembly->test.outputs.find("y");
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {commandFolder() + "/tilerig-run", folder.path("p.trb")});
    return runProgram(words);
  }
  Tensor tensor(const std::string &file, const std::string &name) {
    auto tensors = readTensors(folder.path(file));
    EXPECT_TRUE(tensors && tensors->find(name)) << file << " " << name;
    return tensors && tensors->find(name) ? *tensors->find(name) : Tensor();
  }
  std::string path(const std::string &name) { return folder.path(name); }

  TemporaryFolder folder;
  Tensor expected;
};

TEST_F(RunCommand, GivesOutputsAndWhatWasCaptured) {
  Outcome outcome = run({"-i", path("in.npz"), "-o", path("out.npz"), "--capture", "sorted,negated",
                         "--capture-to", path("seen.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("out.npz", "y"), expected));
  EXPECT_TRUE(identical(tensor("seen.npz", "sorted"), Tensor::of<float>({4}, {9, 7, 6, 1.5f})));
  EXPECT_TRUE(contains(outcome.output, "TopK on the host")) << outcome.output;
}

TEST_F(RunCommand, WritesIntoAPipe) {
  const Outcome outcome = runProgram({"bash", "-c", R"(mkfifo "$3"
    timeout 60 cat "$3" >"$4" &
    timeout 60 "$0" "$1" -i "$2" -o "$3" && wait)",
                                      commandFolder() + "/tilerig-run", path("p.trb"), path("in.npz"),
                                      path("pipe.npz"), path("out.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("out.npz", "y"), expected));
}

TEST_F(RunCommand, LoadsAtAnotherDdrBase) {
  const std::vector<std::string> words = {"-i",         path("in.npz"), "-o", path("out.npz"),
                                          "--ddr-base", "0x10000"};
  Outcome outcome = run(words);
  EXPECT_EQ(outcome.exitCode, 3); // refused: the program is not relocatable
  EXPECT_TRUE(contains(outcome.errors, "--dram_addr_relocatable")) << outcome.errors;

  auto program = readProgram(path("p.trb"));
  ASSERT_TRUE(program);
  program->metadata.set_ddr_relocatable(true);
  ASSERT_TRUE(writeProgram(*program, path("p.trb")));
  outcome = run(words);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("out.npz", "y"), expected));
  outcome = run({"--ddr-base", "100"});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_TRUE(contains(outcome.errors, "not a multiple of 4096")) << outcome.errors;
}

TEST_F(RunCommand, CapturesByBeats) {
  const std::vector<std::string> byBeats = {"-i",    path("in.npz"), "--mode",
                                            "timed", "--on-fault",   "continue"};
  auto words = byBeats;
  words.insert(words.end(), {"--capture", "all", "--capture-to", path("seen.npz")});
  Outcome outcome = run(words);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("seen.npz", "sorted"), Tensor::of<float>({4}, {9, 7, 6, 1.5f})));
  EXPECT_TRUE(identical(tensor("seen.npz", "y"), expected));
  EXPECT_TRUE(contains(outcome.output, "tensors captured")) << outcome.output;
}

TEST_F(RunCommand, TakesReplacements) {
  TensorMap replacement;
  ASSERT_TRUE(replacement.add("sorted", Tensor::of<float>({4}, {2, 4, 6, 8})));
  ASSERT_TRUE(writeTensors(path("replace.npz"), replacement));
  Outcome outcome = run({"-i", path("in.npz"), "-o", path("out.npz"), "--replace", path("replace.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("out.npz", "y"), Tensor::of<float>({4}, {1, 2, 3, 4})));
  outcome = run({"-i", path("in.npz"), "-o", path("beats.npz"), "--replace", path("replace.npz"), "--mode",
                 "timed", "--on-fault", "continue"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(identical(tensor("beats.npz", "y"), Tensor::of<float>({4}, {1, 2, 3, 4})));
}

// Capturing tensors and writing a trace change neither values nor cycles.
TEST_F(RunCommand, ObservationLeavesOutputsAndCyclesAlone) {
  const std::vector<std::string> plain = {"-i",     path("in.npz"), "-o",      path("a.npz"),
                                          "--mode", "timed",        "--stats", path("a.json")};
  ASSERT_EQ(run(plain).exitCode, 0);
  ASSERT_EQ(run({"-i", path("in.npz"), "-o", path("b.npz"), "--mode", "timed", "--stats", path("b.json"),
                 "--capture", "all", "--capture-to", path("seen.npz"), "--trace", path("t.json")})
                .exitCode,
            0);
  EXPECT_TRUE(identical(tensor("a.npz", "y"), tensor("b.npz", "y")));
  Json a = Json::parse(*readText(path("a.json"))), b = Json::parse(*readText(path("b.json")));
  EXPECT_EQ(a["layers"][1]["where"], "host");
  EXPECT_GT(a["cycles"], 0);
  for (const char *measured : {"wall_ms", "start_ms"})
    a.erase(measured), b.erase(measured);
  EXPECT_EQ(a, b);
}

// A run that computes no values (--no-values) has the same cycles as one that does, stage by stage.
TEST_F(RunCommand, TimesWithoutValues) {
  ASSERT_EQ(run({"-i", path("in.npz"), "--mode", "timed", "--stats", path("a.json")}).exitCode, 0);
  ASSERT_EQ(
      run({"--no-values", "--mode", "timed", "--stats", path("b.json"), "--trace", path("t.json")}).exitCode,
      0);
  Json a = Json::parse(*readText(path("a.json"))), b = Json::parse(*readText(path("b.json")));
  for (Json *statistics : {&a, &b})
    statistics->erase("wall_ms"), statistics->erase("start_ms"), statistics->erase("threads");
  EXPECT_EQ(a, b);
  EXPECT_TRUE(std::filesystem::exists(path("t.json")));
  uint64_t at = 0;
  for (const Json &stage : b["stages"]) {
    EXPECT_EQ(stage["begin"], at);
    at += stage["cycles"].get<uint64_t>();
  }
  EXPECT_EQ(at, b["cycles"]);
  ASSERT_EQ(b["stages"].size(), 3u);
  EXPECT_EQ(b["stages"][1]["where"], "host");
  EXPECT_EQ(b["stages"][1]["cycles"], b["layers"][1]["cycles"]);
  for (const std::vector<std::string> &words :
       std::vector<std::vector<std::string>>{{"--no-values"},
                                             {"--no-values", "--mode", "timed", "-i", path("in.npz")},
                                             {"--no-values", "--mode", "timed", "-o", path("out.npz")},
                                             {"--no-values", "--mode", "timed", "--on-fault", "continue"}})
    EXPECT_EQ(run(words).exitCode, 2) << words.back();
}

TEST_F(RunCommand, ReportsUnwritableFilesBeforeTheRun) {
  for (const char *option : {"-o", "--stats", "--capture-to"}) {
    std::vector<std::string> words = {option, path("nowhere/x.npz")};
    if (option == std::string("--capture-to"))
      words.insert(words.end(), {"--capture", "all"});
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, 3) << option;
    EXPECT_TRUE(contains(outcome.errors, "nowhere")) << outcome.errors;
  }
  EXPECT_EQ(run({"-o", path("x.txt")}).exitCode, 2);
  // A failed run leaves no output file behind.
  EXPECT_EQ(run({"-o", path("y.npz"), "-i", path("missing.npz")}).exitCode, 3);
  EXPECT_FALSE(std::filesystem::exists(path("y.npz")));
}

TEST_F(RunCommand, RefusesOptionsWithoutEffect) {
  for (const std::vector<std::string> &words :
       std::vector<std::vector<std::string>>{{"--capture", "all"},
                                             {"--capture-to", path("x.npz")},
                                             {"--dequantise"},
                                             {"--trace", path("t.json")},
                                             {"--jitter", "3"},
                                             {"--delay", "1=5"},
                                             {"--mode", "slow"}}) {
    EXPECT_EQ(run(words).exitCode, 2) << words[0];
  }
  EXPECT_EQ(run({"--capture", "nothing", "--capture-to", path("x.npz")}).exitCode, 3);
  Outcome help = run({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_TRUE(contains(help.output, "Example:")) << help.output;
}

// A file from which the measured delays cannot be read is refused; the error names the place in the file.
TEST_F(RunCommand, RefusesDelaysOfAWrongFile) {
  auto assembly = parseAssembly("    delay engine=pe id=3 cycles=10\n    halt\n", "delay.trasm");
  ASSERT_TRUE(assembly && prove(assembly->program));
  ASSERT_TRUE(writeProgram(assembly->program, path("p.trb")));
  const std::string file = path("s.json");
  ASSERT_EQ(run({"--mode", "timed", "--stats", file}).exitCode, 0);
  EXPECT_EQ(run({"--mode", "timed", "--delays-from", file}).exitCode, 0);
  const Json whole = Json::parse(*readText(file));
  const auto refused = [&](const std::string &text, const std::string &reason) {
    ASSERT_TRUE(writeText(file, text));
    const Outcome outcome = run({"--mode", "timed", "--delays-from", file});
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_TRUE(contains(outcome.errors, file + reason)) << outcome.errors;
  };
  const auto with = [&](const char *pointer, const Json &value) {
    Json changed = whole;
    changed[Json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  refused("{", ":1:2: the JSON text ends too early; give a file that tilerig run --mode timed --stats wrote");
  refused("[]", ": must be an object, not a list");
  refused("{}", ": the file has no measured delays");
  refused(with("/delays", Json::array()), ": the file has no measured delays");
  refused(with("/content_hash", "0"), ": the delays were measured on another program");
  refused(with("/delays/0", 7), ": delays[0]: must be an object, not 7");
  refused(with("/delays/0/id", 4), ": delays[0]: the program has no delay with id 4");
  refused(with("/delays/0/id", 65536), ": delays[0].id: must be a whole number from 0 to 65535, not 65536");
  refused(with("/delays/0/cycles", -1), ": delays[0].cycles: must be a whole number from 0 to ");
  refused(with("/delays/0", {{"id", 3}, {"cycles", 1}}), ": delays[0].contention_cycles: the key is missing");
}

} // namespace
} // namespace tilerig::test
