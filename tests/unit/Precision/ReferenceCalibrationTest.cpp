// Tests of calibration statistics from `tilerig reference`, started as the compiler starts it.
#include "compiler/Planning/Quantisation/ReferenceCalibration.h"

#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Precision/Values.h"

#include <gtest/gtest.h>

namespace tilerig::test {
using namespace compiler;
namespace {

class ReferenceCalibrationTest : public testing::Test {
protected:
  // A model with doubled = x + x, y = Neg(doubled), n = Shape(x).
  ReferenceCalibrationTest() {
    OnnxModel model;
    model.input("x", DType::f32, {1, 2});
    model.node("Add", {"x", "x"}, {"doubled"});
    model.node("Neg", {"doubled"}, {"y"});
    model.node("Shape", {"x"}, {"n"});
    model.output("y");
    model.output("n");
    EXPECT_TRUE(writeText(path("m.onnx"), model.bytes()));
    TensorMap map;
    EXPECT_TRUE(map.add("x", Tensor::of<float>({3, 1, 2}, {1, -2, 0, 4, 5, 6})));
    EXPECT_TRUE(writeNpz(path("in.npz"), map));
  }

  std::string path(const std::string &name) const { return folder.path(name); }
  ReferenceCalibration fromFile() {
    auto samples = openSamples(path("in.npz"), inputs);
    EXPECT_TRUE(samples) << samples.error().message();
    return {command, {"x"}, *std::move(samples)};
  }
  StatisticsByName statistics(CalibrationSource &source, const std::vector<std::string> &names) {
    auto result = source.statistics(names);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : StatisticsByName();
  }
  std::string refusal(const std::vector<std::string> &names) {
    auto source = fromFile();
    auto result = source.statistics(names);
    EXPECT_FALSE(result);
    return result ? "" : result.error().message();
  }

  TemporaryFolder folder;
  std::vector<ModelInput> inputs = {{"x", DType::f32, {1, 2}}};
  ReferenceCommand command = {commandFolder() + "/tilerig-reference", path("m.onnx"), 1};
};

TEST_F(ReferenceCalibrationTest, SeesAllSamples) {
  auto source = fromFile();
  EXPECT_EQ(source.describe(), "3 samples of " + path("in.npz"));
  const StatisticsByName result = statistics(source, {"x", "doubled", "y", "y"});
  EXPECT_EQ(result.size(), 3u);
  EXPECT_EQ(result.at("x"), statisticsOfSamples({{1, -2}, {0, 4}, {5, 6}}));
  EXPECT_EQ(result.at("doubled"), statisticsOfSamples({{2, -4}, {0, 8}, {10, 12}}));
  EXPECT_EQ(result.at("y"), statisticsOfSamples({{-2, 4}, {0, -8}, {-10, -12}}));
}

TEST_F(ReferenceCalibrationTest, OfInputsAlone) {
  auto source = fromFile();
  EXPECT_EQ(statistics(source, {"x"}).at("x"), statisticsOfSamples({{1, -2}, {0, 4}, {5, 6}}));
  EXPECT_TRUE(statistics(source, {}).empty());
}

TEST_F(ReferenceCalibrationTest, SeedsGiveWhatTheReferenceMakes) {
  std::vector<std::vector<float>> values;
  for (const char *seed : {"3", "4"}) {
    const Outcome outcome =
        runProgram({command.program, command.model, "--seed", seed, "--save-inputs", path("made.npz")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto savedInputs = readNpz(path("made.npz"));
    ASSERT_TRUE(savedInputs);
    const auto x = savedInputs->find("x")->as<float>();
    values.emplace_back(x.begin(), x.end());
  }
  ReferenceCalibration source(command, {"x"}, seededSamples(inputs, 3, 2));
  const StatisticsByName result = statistics(source, {"x", "doubled"});
  EXPECT_EQ(result.at("x"), statisticsOfSamples(values));
  for (std::vector<float> &sample : values)
    for (float &x : sample)
      x *= 2;
  EXPECT_EQ(result.at("doubled"), statisticsOfSamples(values));
}

// If random samples do not fit the model, the error says what to do. Here the model has an overlap threshold
// as input, and a random number is seldom between 0 and 1.
TEST_F(ReferenceCalibrationTest, SaysWhatToDoWhereMadeUpSamplesDoNotFit) {
  OnnxModel model;
  model.input("boxes", DType::f32, {1, 2, 4});
  model.input("scores", DType::f32, {1, 1, 2});
  model.input("most", DType::i64, {1});
  model.input("overlap", DType::f32, {1});
  model.node("NonMaxSuppression", {"boxes", "scores", "most", "overlap"}, {"y"});
  model.output("y");
  ASSERT_TRUE(writeText(path("m.onnx"), model.bytes()));
  const auto errorOf = [&](uint64_t seed) -> std::string {
    ReferenceCalibration source(command, {"boxes"}, seededSamples({}, seed, 1));
    const auto result = source.statistics(std::vector<std::string>{"boxes"});
    return result ? "" : result.error().message();
  };
  std::string message;
  for (uint64_t seed = 1; message.empty() && seed < 20; ++seed)
    message = errorOf(seed);
  EXPECT_TRUE(
      message.ends_with("is not between 0 and 1; this sample is random, and the model may need real ones: "
                        "give them with --calibration"))
      << message;
}

TEST_F(ReferenceCalibrationTest, ReadsBfloat16) {
  OnnxModel model;
  model.input("x", DType::bf16, {1, 2});
  model.node("Neg", {"x"}, {"y"});
  model.output("y");
  ASSERT_TRUE(writeText(path("m.onnx"), model.bytes()));
  TensorMap map;
  ASSERT_TRUE(map.add("x", Tensor::of<uint16_t>({1, 2}, {0x3F80, 0xC080}))); // the bits of 1 and -4 as bf16
  ASSERT_TRUE(writeNpz(path("in.npz"), map));
  inputs[0].type = DType::bf16;
  auto source = fromFile();
  const StatisticsByName result = statistics(source, {"x", "y"});
  EXPECT_EQ(result.at("x"), statisticsOfSamples({{1, -4}}));
  EXPECT_EQ(result.at("y"), statisticsOfSamples({{-1, 4}}));
}

TEST_F(ReferenceCalibrationTest, LeavesNothingBehind) {
  const TemporaryFolder scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  auto source = fromFile();
  statistics(source, {"y"});
  refusal({"z"});
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST_F(ReferenceCalibrationTest, NamesSampleAndTensorOfARefusal) {
  const std::string place = "calibration with sample 0 of " + path("in.npz") + ": ";
  EXPECT_EQ(refusal({"n"}),
            place + "tensor 'n': has element type int64; only floating-point tensors can be quantised");
  EXPECT_TRUE(refusal({"z"}).starts_with(place + "--capture z: the model computes no value of this name"))
      << refusal({"z"});
}

TEST_F(ReferenceCalibrationTest, PassesOnWhatTheReferenceSays) {
  ASSERT_TRUE(writeText(path("m.onnx"), "no model"));
  auto source = fromFile();
  auto result = source.statistics(std::vector<std::string>{"y"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::invalidInput);
  EXPECT_NE(result.error().place.find("m.onnx"), std::string::npos) << result.error().message();
}

TEST_F(ReferenceCalibrationTest, SaysWhichProgramIsMissing) {
  command.program = path("tilerig-reference");
  const std::string message = refusal({"y"});
  EXPECT_NE(message.find(command.program + ": the program cannot be started: No such file or directory"),
            std::string::npos)
      << message;
}

TEST(StartCommand, TellsHowAProgramEnded) {
  const TemporaryFolder folder;
  const std::string script = folder.path("script");
  const auto endsWith = [&](const std::string &body) {
    EXPECT_TRUE(writeText(script, "#!/bin/sh\n" + body + "\n"));
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return startCommand(script, {});
  };
  EXPECT_EQ(*endsWith("echo '{\"done\": true}'"), "{\"done\": true}\n");
  EXPECT_EQ(*endsWith("echo \"$@\""), "--json\n");
  EXPECT_EQ(endsWith("exit 3").error().what, "the program ended with exit code 3, without an error message");
  EXPECT_EQ(endsWith("kill -9 $$").error().what, "the program was terminated by signal 9");
  auto refused = endsWith(
      R"(echo '{"error": {"kind": "unsupported", "place": "conv1", "what": "is odd", "remedy": "none"}}'; exit 3)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(refused.error().message(), "conv1: is odd; none");
}

TEST(StartCommand, ProgramsStandBesideTheRunningOne) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(programBeside("reference"), (own.parent_path() / "tilerig-reference").string());
}

} // namespace
} // namespace tilerig::test
