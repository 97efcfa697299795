// Tests of the commands `tilerig train` and `tilerig evaluate`, run as programs.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Classifier/ToyRows.h"

#include <filesystem>
#include <gtest/gtest.h>

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
  // The page with the evaluation (evaluation.md) states the commands that reproduce it.
  const std::string page = *readText(folder.path("report/evaluation.md"));
  for (const std::string &command :
       {std::string("tilerig evaluate "), std::string("tilerig train "), std::string("by hand")})
    EXPECT_NE(page.find(command), std::string::npos) << command;
}

// Samples that cycle through all classes; each class has a feature of its own.
std::vector<verify::Sample> samplesOfEveryClass(size_t count) {
  std::vector<verify::Sample> samples = toySamples(count, 1);
  for (size_t i = 0; i < count; ++i) {
    verify::Sample &sample = samples[i];
    const size_t bugClass = i % numBugClasses;
    sample.evidence.features = {};
    sample.evidence.features[verify::numFeatures - 1 - bugClass] = 1;
    const auto feature = [&](verify::Feature which) -> float & {
      return sample.evidence.features[static_cast<size_t>(which)];
    };
    // Samples with a bug in a compiler pass were not compared with an oracle: the oracle is the ONNX model
    // that the compiler writes after its passes, which contains the same bug.
    feature(verify::Feature::oracleKnown) = bugClass < numProgramBugClasses ? 1.0f : 0.0f;
    feature(verify::Feature::different) = bugClass == 0 ? 0.0f : 1.0f;
    feature(verify::Feature::largestError) = 1;
    sample.origin.bugClass = static_cast<BugClass>(bugClass);
    sample.origin.bug = std::string(nameOf(sample.origin.bugClass));
  }
  return samples;
}

class ModelsOfOneClass : public TrainCommand {
protected:
  const std::string classes = folder.path("classes"), dataset = folder.path("every-class");

  void SetUp() override {
    TrainCommand::SetUp();
    std::filesystem::create_directories(dataset);
    verify::DatasetManifest manifest;
    manifest.evidenceVersion = verify::evidenceVersion;
    manifest.command = "by hand";
    manifest.shards = {{"shard-00000", numBugClasses * 20}};
    for (size_t i = 0; i < numBugClasses; ++i)
      manifest.classes[std::string(nameOf(static_cast<BugClass>(i)))] = 20;
    ASSERT_TRUE(verify::writeShard(dataset + "/shard-00000", samplesOfEveryClass(numBugClasses * 20), {}));
    ASSERT_TRUE(verify::writeManifest(dataset, manifest));
  }

  Outcome trainOn(const std::string &rows, std::vector<std::string> words) {
    words.insert(words.begin(), {rows, "-o", classes, "--kind", "statistics", "--threads", "1", "--held-out",
                                 "other,calibration=third"});
    return run("train", std::move(words));
  }
  Outcome evaluate() { return run("evaluate", {classes, dataset, "--json", "--threads", "1"}); }
  std::string bytesOf(const std::string &name) { return *readText(classes + "/" + name + ".onnx"); }
};

TEST_F(ModelsOfOneClass, AreTrainedJudgedAndReplacedOneByOne) {
  const Outcome some = trainOn(dataset, {"--class", "padding,scaling"});
  ASSERT_EQ(some.exitCode, 0) << some.errors;
  const Outcome partial = evaluate();
  EXPECT_EQ(partial.exitCode, 3);
  EXPECT_NE((partial.output + partial.errors).find("no_error.json"), std::string::npos) << partial.errors;

  const Outcome each = trainOn(dataset, {"--class", "each"});
  ASSERT_EQ(each.exitCode, 0) << each.errors;
  const Outcome judged = evaluate();
  ASSERT_EQ(judged.exitCode, 0) << judged.errors;
  const Json evaluation = Json::parse(judged.output, nullptr, false);
  ASSERT_TRUE(evaluation.is_array());
  EXPECT_EQ(evaluation[0]["card"]["kind"], "statistics, one model for each class");
  EXPECT_GT(evaluation[0]["parts"]["unseen_families"]["macro_f1"].get<double>(), 0.9);

  // Retraining one class leaves the models of the other classes unchanged.
  const std::string padding = bytesOf("padding"), scaling = bytesOf("scaling");
  ASSERT_EQ(trainOn(dataset, {"--class", "padding", "--seed", "2"}).exitCode, 0);
  EXPECT_NE(bytesOf("padding"), padding);
  EXPECT_EQ(bytesOf("scaling"), scaling);

  // A model that was trained for one bug class is refused as a complete classifier, and as the model of
  // another bug class.
  const Outcome alone = run("evaluate", {classes + "/padding.onnx", dataset});
  EXPECT_EQ(alone.exitCode, 3);
  EXPECT_NE(alone.errors.find("classifier of padding alone"), std::string::npos) << alone.errors;
  std::filesystem::copy_file(classes + "/padding.onnx", classes + "/scaling.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  const Outcome swapped = evaluate();
  EXPECT_EQ(swapped.exitCode, 3);
  EXPECT_NE((swapped.output + swapped.errors).find("expected 'classifier of scaling alone"),
            std::string::npos)
      << swapped.errors;
}

TEST_F(ModelsOfOneClass, NeedRowsOfTheirClass) {
  const Outcome missing = trainOn(folder.path("dataset"), {"--class", "each"});
  EXPECT_EQ(missing.exitCode, 3);
  EXPECT_NE(missing.errors.find("has no row of class bias_loading"), std::string::npos) << missing.errors;
  EXPECT_EQ(missing.output.find("epoch"), std::string::npos) << missing.output;
}

TEST_F(TrainCommand, Refusals) {
  EXPECT_EQ(train({"--held-out", "colour=red"}).exitCode, 2);
  EXPECT_EQ(train({"--kind", "oracle"}).exitCode, 2);
  // No row of the data belongs to a family `toys`.
  EXPECT_EQ(train({"--held-out", "toys,calibration=other"}).exitCode, 2);
  // If the held-out rows leave no row for calibration, this is reported before training starts.
  const Outcome early = train({"--held-out", "third"});
  EXPECT_EQ(early.exitCode, 3);
  EXPECT_NE((early.output + early.errors).find("the calibration set has no row with a bug"),
            std::string::npos)
      << early.errors;
  EXPECT_EQ(early.output.find("epoch"), std::string::npos) << early.output;
  const Outcome nowhere = run("train", {folder.path("dataset"), "-o", folder.path("none/model.onnx")});
  EXPECT_EQ(nowhere.exitCode, 3) << nowhere.errors;
  EXPECT_EQ(nowhere.output.find("epoch"), std::string::npos) << nowhere.output;
  EXPECT_EQ(train({"--held-out", "toy,other,third"}).exitCode, 3); // refused: no rows remain for training
  EXPECT_EQ(run("train", {folder.path("none"), "-o", folder.path("m.onnx")}).exitCode, 3);
  const Outcome overwritten = run("train", {folder.path("dataset"), "-o", folder.path("m.json")});
  EXPECT_EQ(overwritten.exitCode, 2);
  EXPECT_NE(overwritten.errors.find("is the name of the model's card"), std::string::npos)
      << overwritten.errors;
  EXPECT_EQ(run("evaluate", {folder.path("none.onnx"), folder.path("dataset")}).exitCode, 3);
  EXPECT_EQ(run("evaluate", {folder.path("dataset")}).exitCode, 2);
}

} // namespace
} // namespace tilerig::test
