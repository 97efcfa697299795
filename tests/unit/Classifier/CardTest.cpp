// Tests of the model card, the JSON file that describes a classifier.
#include "classifier/Judging/Card.h"
#include "isa/Base/Support/File.h"
#include "isa/Bugs/Catalogue.h"
#include "tests/support/Folders.h"
#include "tests/support/TemporaryFolder.h"

namespace tilerig::test {
namespace {

using namespace classifier;

TEST(Card, OfTheShippedClassifierHasAHundredRowsOfEveryBugThatTensorsShow) {
  const Result<Card> card = readCard(test::sourceFolder() + "/classifier/Shipped/classifier.json");
  ASSERT_TRUE(card);
  for (const Bug &bug : bugCatalogue()) {
    const auto entry = card->bugs.find(std::string(bug.id));
    const uint64_t rows = entry == card->bugs.end() ? 0 : entry->second;
    // The shipped classifier was trained before the datasets contained bugs in compiler passes.
    if (bug.showsInTensors && !bug.isInPass())
      EXPECT_GE(rows, 100u) << bug.id;
    else
      EXPECT_EQ(rows, 0u) << bug.id;
  }
}

TEST(Card, IsReadBack) {
  const TemporaryFolder folder;
  Card card;
  card.kind = "tree", card.command = "tilerig train", card.datasetCommand = "tilerig dataset", card.seed = 3;
  card.rows = {{"training", 5}};
  card.bugs = {{"pad-side", 7}};
  card.parameters = 9;
  card.minutes = 0.5;
  ASSERT_TRUE(writeCard(folder.path("c.json"), card));
  const Result<Card> again = readCard(folder.path("c.json"));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(asJson(*again)["rows"], asJson(card)["rows"]);
  EXPECT_EQ(again->bugs, card.bugs);
  EXPECT_EQ(again->kind + again->command + again->datasetCommand, "treetilerig traintilerig dataset");
  EXPECT_EQ(again->seed, 3u);
  EXPECT_EQ(again->parameters, 9u);
  EXPECT_EQ(again->minutes, 0.5);
}

TEST(Card, IsRefusedWithThePlace) {
  const TemporaryFolder folder;
  const std::string path = folder.path("c.json");
  const auto refused = [&](const std::string &text, const std::string &reason) {
    ASSERT_TRUE(writeText(path, text));
    const Result<Card> card = readCard(path);
    ASSERT_FALSE(card) << text;
    EXPECT_EQ(card.error().message().substr(0, path.size() + reason.size()), path + reason);
  };
  const auto with = [](const std::string &fields) {
    return R"({"file_type": "Classifier", "version": 1, "kind": "tree", "command": "c", "held_out": {})" +
           fields + "}";
  };
  ASSERT_TRUE(writeText(path, with("")));
  ASSERT_TRUE(readCard(path));
  refused("{", ":1:2: the JSON text ends too early");
  refused(
      "[]",
      ": must be an object, not a list; use the model card (.json) that tilerig train wrote beside the model");
  refused(R"({"file_type": "Dataset"})", ": file_type: must be \"Classifier\", not \"Dataset\"");
  refused(R"({"file_type": "Classifier", "version": 2})", ": version: must be 1, not 2");
  refused(R"({"file_type": "Classifier", "version": 1, "kind": 1})", ": kind: must be a string, not 1");
  refused(R"({"file_type": "Classifier", "version": 1, "kind": "", "command": ""})",
          ": held_out: the key is missing");
  refused(with(R"(, "kind": "forest")"), ": kind: the key is given twice");
  refused(with(R"(, "seed": -1)"), ": seed: must be a whole number from 0 to ");
  refused(with(R"(, "parameters": 0.5)"), ": parameters: must be a whole number from 0 to ");
  refused(with(R"(, "dataset": {"command": []})"), ": dataset.command: must be a string, not a list");
  refused(with(R"(, "rows": {"training": "5"})"), ": rows.training: must be a whole number from 0 to ");
  refused(with(R"(, "bugs": [])"), ": bugs: must be an object, not a list");
  refused(with(R"(, "minutes": "5")"), ": minutes: must be a number, not \"5\"");
}

} // namespace
} // namespace tilerig::test
