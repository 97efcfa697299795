// Tests of `tilerig dataset`, in process and run as a program: the same rows for any number of threads and
// interruptions, correct labels, and the refusal of invalid options and folders.
#include "classifier/Samples/MakeDataset.h"
#include "classifier/Samples/Unit.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Bugs/Catalogue.h"
#include "isa/Bugs/Choice.h"
#include "tests/support/RunProgram.h"
#include "tests/support/SampleFiles.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

using test::madeUpSample;

DatasetOptions smallChoice(const std::string &folder) {
  DatasetOptions options;
  options.folder = folder;
  options.choice.families = {findFamily("random-layer"), findFamily("digits")};
  for (const char *bug :
       {"none", "bias-missing", "weights-rows-swapped", "clip-bound", "sync-deleted", "dead-tile"})
    options.choice.bugs.push_back(findBug(bug));
  options.choice.attempts = 8;
  options.samples = 32;
  return options;
}

std::map<std::string, std::string> filesOf(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = *readText(entry.path().string());
  return files;
}

class MakingDatasets : public testing::Test {
protected:
  TemporaryFolder folder;

  DatasetManifest make(const DatasetOptions &options) const {
    auto manifest = makeDataset(options);
    EXPECT_TRUE(manifest) << manifest.error().message();
    return manifest ? *manifest : DatasetManifest();
  }
  // Makes a small dataset; returns its folder.
  std::string makeSmall(unsigned threads) const {
    DatasetOptions options = smallChoice(folder.path("threads" + std::to_string(threads)));
    options.threads = threads;
    make(options);
    return options.folder;
  }
};

TEST_F(MakingDatasets, ThreadsChangeNothing) {
  const auto one = filesOf(makeSmall(1)), three = filesOf(makeSmall(3));
  EXPECT_GT(one.size(), 5u);
  EXPECT_EQ(one, three);
}

TEST_F(MakingDatasets, InterruptedDatasetsAreResumed) {
  const std::string whole = makeSmall(1);
  DatasetOptions options = smallChoice(folder.path("resumed"));
  std::filesystem::copy(whole, options.folder);
  // Simulates a run that was interrupted while it wrote the first shard, before the second.
  for (const char *file : {"dataset.json", "shard-00000.npz", "shard-00001.npz", "shard-00001.jsonl"})
    std::filesystem::remove(options.folder + "/" + file);
  const auto refused = makeDataset(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  options.resumes = true;
  make(options);
  EXPECT_EQ(filesOf(options.folder), filesOf(whole));
}

TEST_F(MakingDatasets, DamagedShardsAreMadeAgain) {
  const std::string whole = makeSmall(1);
  DatasetOptions options = smallChoice(folder.path("damaged"));
  std::filesystem::copy(whole, options.folder);
  const auto files = filesOf(whole);
  const auto damage = [&](const char *name, auto change) {
    std::string bytes = files.at(name);
    change(bytes);
    ASSERT_TRUE(writeText(options.folder + "/" + name, bytes));
  };
  damage("shard-00000.npz", [](std::string &bytes) { bytes.resize(bytes.size() / 2); });
  damage("shard-00001.npz", [](std::string &bytes) { bytes[bytes.size() / 3] ^= 0x10; });
  damage("shard-00002.jsonl", [](std::string &bytes) { bytes.resize(bytes.find('\n') + 1); });
  options.resumes = true;
  make(options);
  EXPECT_EQ(filesOf(options.folder), files);
}

TEST_F(MakingDatasets, ALargerDatasetContainsTheSmallerOne) {
  DatasetOptions options = smallChoice(makeSmall(2));
  const auto before = filesOf(options.folder);
  options.resumes = true;
  options.samples = 60;
  const DatasetManifest more = make(options);
  const auto after = filesOf(options.folder);
  EXPECT_GT(after.size(), before.size());
  for (const auto &[name, bytes] : before)
    if (name != "dataset.json") {
      EXPECT_EQ(after.at(name), bytes) << name;
    }
  options.choice.seed = 2;
  EXPECT_FALSE(makeDataset(options)); // refused: the folder holds a dataset made with another seed
}

// Every row shows errors and states its bug: the class of the bug, and its text, which can be parsed again.
TEST_F(MakingDatasets, RowsStateTheirBug) {
  const std::string path = makeSmall(2);
  const auto manifest = readManifest(path);
  ASSERT_TRUE(manifest) << manifest.error().message();
  std::map<std::string, uint64_t> classes;
  uint64_t rows = 0;
  ASSERT_TRUE(readDataset(path, *manifest, [&](const Shard &shard, size_t row) {
    const Origin &origin = shard.origins[row];
    ++classes[std::string(nameOf(origin.bugClass))], ++rows;
    EXPECT_EQ(findBug(origin.bug)->bugClass, origin.bugClass);
    EXPECT_TRUE(origin.family == "random-layer" || origin.family == "digits") << origin.family;
    EXPECT_FALSE(origin.network.empty() || origin.machine.empty() || origin.precision.empty() ||
                 origin.kind.empty());
    if (origin.bug != "none") {
      const auto injected = parseBugChoice(origin.text);
      EXPECT_TRUE(injected && injected->bug->id == origin.bug) << origin.text;
      EXPECT_GT(shard.features.as<float>()[row * numFeatures + static_cast<size_t>(Feature::different)], 0)
          << origin.text;
    }
    return success();
  }));
  EXPECT_GE(rows, 20u);
  EXPECT_EQ(classes, manifest->classes);
  EXPECT_GE(classes.size(), 4u);
}

// A bug in a compiler pass also changes the ONNX model that the compiler writes. Samples with such a bug are
// therefore made by comparison with the original model: with its tensors, or with what it computes from the device's own.
TEST_F(MakingDatasets, BugsOfPassesShowAgainstTheTruth) {
  DatasetOptions options = smallChoice(folder.path("passes"));
  options.choice.families = {findFamily("resnet"), findFamily("bert")};
  options.choice.bugs.clear();
  for (const Bug &bug : bugCatalogue())
    if (bug.isInPass())
      options.choice.bugs.push_back(&bug);
  const DatasetManifest manifest = make(options);
  EXPECT_EQ(manifest.classes.size(), 2u);
  std::set<std::string> bugs, references;
  ASSERT_TRUE(readDataset(options.folder, manifest, [&](const Shard &shard, size_t row) {
    const Origin &origin = shard.origins[row];
    bugs.insert(origin.bug);
    references.insert(origin.against);
    EXPECT_TRUE(origin.stage == "graph" || origin.stage == "layer") << origin.stage;
    EXPECT_TRUE(origin.site.starts_with("pass")) << origin.site;
    EXPECT_FALSE(origin.layer.empty() || origin.text.find('@') == std::string::npos) << origin.text;
    const auto feature = [&](Feature which) {
      return shard.features.as<float>()[row * numFeatures + static_cast<size_t>(which)];
    };
    EXPECT_EQ(feature(Feature::oracleKnown), origin.against == "model") << origin.text;
    EXPECT_EQ(feature(Feature::orderKnown) == 1 && origin.against == "model", false) << origin.text;
    EXPECT_GT(feature(Feature::different), 0) << origin.text;
    return success();
  }));
  EXPECT_GE(bugs.size(), 5u);
  EXPECT_EQ(references, (std::set<std::string>{"model", "truth"}));
}

// Some samples are as of dumps with their model: the layer's kind and what it computes from the device's own tensors are known, but
// nothing of the program.
TEST_F(MakingDatasets, SomeRowsAreOfDumpsWithTheirModel) {
  const std::string path = makeSmall(2);
  const auto manifest = readManifest(path);
  ASSERT_TRUE(manifest) << manifest.error().message();
  size_t count = 0;
  ASSERT_TRUE(readDataset(path, *manifest, [&](const Shard &shard, size_t row) {
    if (shard.origins[row].against != "model")
      return success();
    ++count;
    const auto feature = [&](Feature which) {
      return shard.features.as<float>()[row * numFeatures + static_cast<size_t>(which)];
    };
    for (const Feature known : {Feature::layerKnown, Feature::isolatedKnown, Feature::oracleKnown})
      EXPECT_EQ(feature(known), 1);
    for (const Feature unknown :
         {Feature::seamsKnown, Feature::partsKnown, Feature::orderKnown, Feature::jitterKnown})
      EXPECT_EQ(feature(unknown), 0);
    return success();
  }));
  EXPECT_GE(count, 3u);
}

// A unit (the samples of one network in a dataset) that looks for a rare bug draws networks until the bug can
// be injected into one.
TEST_F(MakingDatasets, EveryFourthUnitLooksForARareBug) {
  Choice choice;
  choice.families = {findFamily("random-layer"), findFamily("digits")};
  choice.bugs = {findBug("none"), findBug("weights-wrong-tile")};
  choice.attempts = 8;
  reference::Threads threads(1);
  for (const uint64_t unit : {3u, 7u}) {
    const auto result = runUnit(choice, unit, threads);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_FALSE(result->samples.empty()) << unit;
    for (const Sample &sample : result->samples)
      EXPECT_EQ(sample.origin.bug, "weights-wrong-tile") << unit;
  }
}

TEST_F(MakingDatasets, ReportsThatNoBugCanBeInjected) {
  DatasetOptions options = smallChoice(folder.path("none"));
  options.choice.families = {findFamily("bert")};
  options.choice.bugs = {findBug("weights-order")}; // a bug that only convolutions can have, which BERT lacks
  options.choice.attempts = 1;
  const auto refused = makeDataset(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("gave no sample at all"), std::string::npos);
}

TEST_F(MakingDatasets, AlikeRowsOfDifferentClassesAreConflicts) {
  const auto write = [&](const char *name, const std::vector<Sample> &samples) {
    std::filesystem::create_directories(folder.path(name));
    ASSERT_TRUE(writeShard(folder.path(name) + "/shard-00000", samples, {{"equivalent", 1}}));
    auto manifest = surveyShards(folder.path(name), {"shard-00000"});
    ASSERT_TRUE(manifest);
    manifest->command = name;
    ASSERT_TRUE(writeManifest(folder.path(name), *manifest));
  };
  write("a", {madeUpSample(1, BugClass::padding), madeUpSample(2, BugClass::padding)});
  write("b", {madeUpSample(1, BugClass::hardware), madeUpSample(2, BugClass::padding),
              madeUpSample(3, BugClass::table)});
  const auto merged = mergeDatasets(folder.path("both"), {folder.path("a"), folder.path("b")});
  ASSERT_TRUE(merged) << merged.error().message();
  EXPECT_EQ(merged->conflictRows, 2u);
  EXPECT_EQ(merged->conflicts, std::set<uint64_t>{digestOf(madeUpSample(1, BugClass::padding).evidence)});
  EXPECT_EQ(merged->classes, (std::map<std::string, uint64_t>{{"padding", 2}, {"table", 1}}));
  EXPECT_EQ(merged->counts.at("equivalent"), 2u);
  EXPECT_EQ(merged->command, "a; b");
  size_t rows = 0;
  ASSERT_TRUE(readDataset(folder.path("both"), *readManifest(folder.path("both")),
                          [&](const Shard &shard, size_t row) {
                            EXPECT_NE(shard.origins[row].unit, 1u);
                            ++rows;
                            return success();
                          }));
  EXPECT_EQ(rows, 3u);
  // Datasets are not merged if the target folder is not empty, or if a source folder does not exist.
  EXPECT_FALSE(mergeDatasets(folder.path("both"), {folder.path("a")}));
  EXPECT_FALSE(mergeDatasets(folder.path("other"), {folder.path("c")}));
}

using Json = nlohmann::json;
using tilerig::test::commandFolder;
using tilerig::test::Outcome;
using tilerig::test::runProgram;

Outcome runCommand(std::vector<std::string> words) {
  words.insert(words.begin(), commandFolder() + "/tilerig-dataset");
  return runProgram(words);
}

TEST_F(MakingDatasets, AsAProgram) {
  const std::string path = folder.path("data");
  const Outcome outcome = runCommand({"-o", path, "--samples", "6", "--families", "digits", "--classes",
                                      "bias_loading,no_error", "--attempts", "4", "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const Json json = Json::parse(outcome.output, nullptr, false);
  EXPECT_GE(json["rows"].get<int>(), 6);
  EXPECT_EQ(json["classes"].size(), 2u);
  const auto manifest = readManifest(path);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->shards.size(), json["shards"].get<size_t>());
  EXPECT_NE(manifest->command.find("tilerig dataset --seed 1 --samples 6 --families digits"),
            std::string::npos)
      << manifest->command;
  const Outcome merged = runCommand({"-o", folder.path("both"), "--merge", path});
  EXPECT_EQ(merged.exitCode, 0) << merged.errors;
  EXPECT_NE(merged.output.find("rows in"), std::string::npos);
}

TEST_F(MakingDatasets, RefusalsAsAProgram) {
  struct Case {
    std::vector<std::string> words;
    const char *says;
  };
  const std::string path = folder.path("data");
  std::filesystem::create_directories(path);
  ASSERT_TRUE(writeText(path + "/note.txt", "mine"));
  for (const Case &testCase :
       {Case{{"-o", path}, "is not empty"}, Case{{"-o", path, "--resume"}, "plan.txt"},
        Case{{"-o", folder.path("x"), "--families", "resnot"},
             "--families: unknown name 'resnot'; did you mean 'resnet'?"},
        Case{{"-o", folder.path("x"), "--without-families", "resnot"},
             "--without-families: unknown name 'resnot'; did you mean 'resnet'?"},
        Case{{"-o", folder.path("x"), "--families", "resnet", "--without-families", "resnet"},
             "--without-families: no family is left"},
        Case{{"-o", folder.path("x"), "--bugs", "bias-mising"},
             "--bugs: unknown name 'bias-mising'; did you mean 'bias-missing'?"},
        Case{{"-o", folder.path("x"), "--without-bugs", "bias-mising"},
             "--without-bugs: unknown name 'bias-mising'; did you mean 'bias-missing'?"},
        Case{{"-o", folder.path("x"), "--bugs", "signal-deleted"}, "'signal-deleted' changes no tensor"},
        Case{{"-o", folder.path("x"), "--classes", "tables"}, "did you mean 'table'?"},
        Case{{"-o", folder.path("x"), "--bugs", "stuck-bit", "--classes", "table"},
             "belongs to none of the classes"},
        Case{{"-o", folder.path("x"), "--bugs", "stuck-bit", "--without-bugs", "stuck-bit"},
             "--without-bugs: no bug is left"},
        Case{{"-o", folder.path("x"), "--samples", "0"}, "--samples"}, Case{{}, "--output"}}) {
    const Outcome refused = runCommand(testCase.words);
    EXPECT_GE(refused.exitCode, 2) << refused.output;
    EXPECT_LE(refused.exitCode, 3);
    EXPECT_NE(refused.errors.find(testCase.says), std::string::npos) << refused.errors;
  }
}

} // namespace
} // namespace tilerig::verify
