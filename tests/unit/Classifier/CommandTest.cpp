// `tilerig train` and `tilerig evaluate` from outside.
#include "isa/Support/File.h"
#include "tests/unit/Classifier/ToyRows.h"
#include "tests/unit/Support/TemporaryFolder.h"
#include "tests/unit/Tools/RunProgram.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

class TrainCommand : public testing::Test {
protected:
  TemporaryFolder folder;

  void SetUp() override {
    const std::string dataset = folder.path("dataset");
    std::filesystem::create_directories(dataset);
    verify::DatasetManifest manifest;
    manifest.evidenceVersion = verify::evidenceVersion;
    manifest.command = "by hand";
    manifest.shards = {{"shard-00000", 150}};
    for (const char *name : {"padding", "scaling", "no_error"})
      manifest.classes[name] = 50;
    ASSERT_TRUE(verify::writeShard(dataset + "/shard-00000", toySamples(150, 1), {}));
    ASSERT_TRUE(verify::writeManifest(dataset, manifest));
  }

  Outcome run(const std::string &command, std::vector<std::string> words) {
    words.insert(words.begin(), commandFolder() + "/tilerig-" + command);
    return runProgram(words);
  }
  Outcome train(std::vector<std::string> words) {
    words.insert(words.begin(), {folder.path("dataset"), "-o", folder.path("model.onnx"), "--threads", "1"});
    return run("train", std::move(words));
  }
};

TEST_F(TrainCommand, TrainsAndIsJudged) {
  const Outcome trained =
      train({"--kind", "mlp", "--epochs", "12", "--batch", "20", "--held-out", "other,calibration=third"});
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  for (const char *file : {"model.onnx", "model.json", "model.loss.png", "model.checkpoint.npz"})
    EXPECT_TRUE(std::filesystem::exists(folder.path(file))) << file;

  const Outcome judged = run("evaluate", {folder.path("model.onnx"), folder.path("dataset"), "--json",
                                          "--report", folder.path("report")});
  ASSERT_EQ(judged.exitCode, 0) << judged.errors;
  const Json evaluation = Json::parse(judged.output, nullptr, false);
  ASSERT_TRUE(evaluation.is_array());
  const Json &unseen = evaluation[0]["parts"]["unseen_families"];
  EXPECT_EQ(unseen["rows"], 50);
  EXPECT_GT(unseen["macro_f1"].get<double>(), 0.9);
  EXPECT_EQ(evaluation[0]["card"]["held_out"]["family"], Json({"other"}));
  for (const char *file : {"evaluation.json", "evaluation.md", "confusion.png"})
    EXPECT_TRUE(std::filesystem::exists(folder.path(std::string("report/") + file))) << file;
  // How to make it again.
  const std::string page = *readText(folder.path("report/evaluation.md"));
  for (const std::string &command :
       {std::string("tilerig evaluate "), std::string("tilerig train "), std::string("by hand")})
    EXPECT_NE(page.find(command), std::string::npos) << command;
}

TEST_F(TrainCommand, Refusals) {
  EXPECT_EQ(train({"--held-out", "colour=red"}).exitCode, 2);
  EXPECT_EQ(train({"--kind", "oracle"}).exitCode, 2);
  EXPECT_EQ(train({"--held-out", "toys,calibration=other"}).exitCode, 2); // of no row
  // Said before there is anything to wait for.
  const Outcome early = train({"--held-out", "third"});
  EXPECT_EQ(early.exitCode, 3);
  EXPECT_NE((early.output + early.errors).find("no row of a bug to calibrate on"), std::string::npos)
      << early.errors;
  EXPECT_EQ(early.output.find("epoch"), std::string::npos) << early.output;
  const Outcome nowhere = run("train", {folder.path("dataset"), "-o", folder.path("none/model.onnx")});
  EXPECT_EQ(nowhere.exitCode, 3) << nowhere.errors;
  EXPECT_EQ(nowhere.output.find("epoch"), std::string::npos) << nowhere.output;
  EXPECT_EQ(train({"--held-out", "toy,other,third"}).exitCode, 3); // nothing left
  EXPECT_EQ(run("train", {folder.path("none"), "-o", folder.path("m.onnx")}).exitCode, 3);
  const Outcome overwritten = run("train", {folder.path("dataset"), "-o", folder.path("m.json")});
  EXPECT_EQ(overwritten.exitCode, 2);
  EXPECT_NE(overwritten.errors.find("is where the model's description goes"), std::string::npos)
      << overwritten.errors;
  EXPECT_EQ(run("evaluate", {folder.path("none.onnx"), folder.path("dataset")}).exitCode, 3);
  EXPECT_EQ(run("evaluate", {folder.path("dataset")}).exitCode, 2);
}

} // namespace
} // namespace tilerig::test
