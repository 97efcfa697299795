// Tests of the files that hold dataset samples: what is written is read back, and incomplete or foreign files
// are refused with the place of the fault.
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/SampleFiles.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

using test::madeUpSample;

class Shards : public testing::Test {
protected:
  TemporaryFolder folder;
  std::vector<Sample> samples = {madeUpSample(1, BugClass::biasLoading), madeUpSample(2, BugClass::padding)};
  std::string stem = folder.path("shard-00000");

  void write() { ASSERT_TRUE(writeShard(stem, samples, {{"equivalent", 4}})); }
  std::string lines() const { return *readText(stem + ".jsonl"); }
  void replaceInLines(const std::string &from, const std::string &to) {
    std::string text = lines();
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos);
    ASSERT_TRUE(writeText(stem + ".jsonl", text.replace(at, from.size(), to)));
  }
  void expectRefused(const std::string &words) const {
    const auto shard = readShard(stem);
    ASSERT_FALSE(shard);
    EXPECT_EQ(shard.error().kind, ErrorKind::invalidInput);
    EXPECT_NE(shard.error().message().find(words), std::string::npos) << shard.error().message();
  }
};

TEST_F(Shards, AreReadAsTheyWereWritten) {
  EXPECT_FALSE(readShard(stem));
  write();
  const auto shard = readShard(stem);
  ASSERT_TRUE(shard) << shard.error().message();
  ASSERT_EQ(shard->rows(), 2u);
  EXPECT_EQ(shard->origins[0], samples[0].origin);
  EXPECT_EQ(shard->origins[1], samples[1].origin);
  EXPECT_EQ(shard->classes.as<uint8_t>()[1], static_cast<uint8_t>(BugClass::padding));
  EXPECT_EQ(shard->digests.as<uint64_t>()[0], digestOf(samples[0].evidence));
  EXPECT_NE(shard->digests.as<uint64_t>()[0], shard->digests.as<uint64_t>()[1]);
  EXPECT_EQ(shard->channels.shape(), (Shape{2, static_cast<int64_t>(numChannels), 64, 64}));
  EXPECT_EQ(shard->channels.as<uint8_t>()[numChannels * 4096 + 2], 2);
  EXPECT_EQ(shard->picture.as<uint8_t>()[picturePlanes * 4096], 7);
  EXPECT_EQ(shard->features.as<float>()[numFeatures + 3], 0.5F);
  EXPECT_EQ(readShardLines(stem)->head.counts.at("equivalent"), 4u);
}

TEST_F(Shards, MayBeEmpty) {
  samples.clear();
  write();
  const auto shard = readShard(stem);
  ASSERT_TRUE(shard) << shard.error().message();
  EXPECT_EQ(shard->rows(), 0u);
}

TEST_F(Shards, CutOffAnywhere) {
  write();
  const std::string text = lines();
  for (const size_t length : {size_t{0}, size_t{10}, text.find('\n') + 1, text.size() / 2, text.size() - 1}) {
    ASSERT_TRUE(writeText(stem + ".jsonl", std::string_view(text).substr(0, length)));
    EXPECT_FALSE(readShardLines(stem)) << length;
  }
  ASSERT_TRUE(writeText(stem + ".jsonl", text));
  const std::string archive = *readText(stem + ".npz");
  ASSERT_TRUE(writeText(stem + ".npz", std::string_view(archive).substr(0, archive.size() / 2)));
  EXPECT_FALSE(readShard(stem));
  ASSERT_TRUE(writeText(stem + ".npz", archive));
  EXPECT_TRUE(readShard(stem));
}

TEST_F(Shards, AlteredLines) {
  write();
  replaceInLines("bias_loading", "padding");
  expectRefused("row 0 differs from the same row of the .jsonl file");
  replaceInLines("\"padding\"", "\"paddling\"");
  expectRefused(".jsonl:2: class: unknown value \"paddling\"; did you mean 'padding'?");
  replaceInLines("\"paddling\"", "3");
  expectRefused(".jsonl:2: class: must be a string, not 3");
  replaceInLines("\"class\":3", "\"class\":\"bias_loading\"");
  replaceInLines("\"tiles\":3", "\"tiles\":-3");
  expectRefused(".jsonl:2: tiles: must be a whole number from 0 to 4294967295, not -3");
}

TEST_F(Shards, AlteredDigests) {
  write();
  const std::string text = lines();
  const size_t at = text.find("\"digest\":\"") + 10;
  std::string other = text;
  other[at] = other[at] == '0' ? '1' : '0';
  ASSERT_TRUE(writeText(stem + ".jsonl", other));
  expectRefused("row 0 differs");
  other[at] = 'x';
  ASSERT_TRUE(writeText(stem + ".jsonl", other));
  expectRefused("sixteen hexadecimal digits");
}

TEST_F(Shards, OfAnotherVersion) {
  write();
  replaceInLines("\"evidence_version\":4", "\"evidence_version\":3");
  expectRefused("the evidence has version 3, but tilerig reads version 4");
  replaceInLines("SampleShard", "Dataset");
  expectRefused("file_type: must be \"SampleShard\", not \"Dataset\"");
}

TEST_F(Shards, OfAnotherShape) {
  write();
  auto tensors = readNpz(stem + ".npz");
  ASSERT_TRUE(tensors);
  *tensors->find("features") = Tensor(DType::f32, {2, 3});
  ASSERT_TRUE(writeNpz(stem + ".npz", *tensors));
  expectRefused("'features' is float32 [2, 3]");
}

class Datasets : public Shards {
protected:
  DatasetManifest manifest() const {
    DatasetManifest dataset;
    dataset.evidenceVersion = evidenceVersion;
    dataset.command = "tilerig dataset";
    dataset.seed = UINT64_MAX;
    dataset.shards = {{"shard-00000", 2}};
    dataset.classes = {{"padding", 1}};
    dataset.counts = {{"equivalent", 4}};
    dataset.conflicts = {digestOf(samples[0].evidence)};
    dataset.conflictRows = 1;
    return dataset;
  }
  void expectManifestRefused(const std::string &from, const std::string &to, const std::string &words) {
    ASSERT_TRUE(writeManifest(folder.path(), manifest()));
    std::string text = *readText(folder.path("dataset.json"));
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    const auto read = parseManifest(text.replace(at, from.size(), to), "dataset.json");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message().find(words), std::string::npos) << read.error().message();
  }
};

TEST_F(Datasets, LeaveConflictsOut) {
  write();
  ASSERT_TRUE(writeManifest(folder.path(), manifest()));
  const auto read = readManifest(folder.path());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->seed, UINT64_MAX);
  EXPECT_EQ(read->command, "tilerig dataset");
  EXPECT_EQ(read->counts, manifest().counts);
  EXPECT_EQ(read->classes, manifest().classes);
  EXPECT_EQ(read->conflicts, manifest().conflicts);
  std::vector<std::string> seen;
  ASSERT_TRUE(readDataset(folder.path(), *read, [&](const Shard &shard, size_t row) {
    seen.push_back(std::string(nameOf(shard.origins[row].bugClass)));
    return success();
  }));
  EXPECT_EQ(seen, std::vector<std::string>{"padding"});
}

TEST_F(Datasets, OfOtherNumbersOfRows) {
  write();
  DatasetManifest other = manifest();
  other.shards[0].rows = 3;
  const Status read = readDataset(folder.path(), other, [](const Shard &, size_t) { return success(); });
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("has 2 rows, but 3 according to dataset.json"), std::string::npos);
}

TEST_F(Datasets, WhatIsNoManifest) {
  expectManifestRefused("\"Dataset\"", "\"SampleShard\"",
                        "file_type: must be \"Dataset\", not \"SampleShard\"");
  expectManifestRefused("\"version\": 1", "\"version\": 9", "version: must be 1, not 9");
  expectManifestRefused("\"shards\"", "\"shard\"", "shards: the key is missing");
  expectManifestRefused("\"shard-00000\"", "\"../else\"", "'../else' is not a valid shard name");
  expectManifestRefused("\"rows\": 2", "\"rows\": \"2\"",
                        "shards[0].rows: must be a whole number from 0 to 18446744073709551615, not \"2\"");
  expectManifestRefused(
      "\"padding\": 1", "\"padding\": {}",
      "classes.padding: must be a whole number from 0 to 18446744073709551615, not an object");
  expectManifestRefused("{", "[", "dataset.json:2:13: the JSON text is invalid at");
  EXPECT_FALSE(readManifest(folder.path("nowhere")));
}

} // namespace
} // namespace tilerig::verify
