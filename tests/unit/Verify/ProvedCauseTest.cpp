// Tests of bug classes that are known without comparing numbers: every finding of the analyser and every trap
// implies the class of the bug, or a few classes that include it.
#include "tests/unit/Verify/Mutants.h"
#include "verify/Check/CheckRecords.h"
#include "verify/Check/NetworkVerdict.h"
#include "verify/Records/Render.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace tilerig::verify::test {
namespace {

const MutantMaker &maker() {
  static const std::unique_ptr<SmallNetwork> network = imageNetwork();
  static const MutantMaker mutantMaker(*network, "int8", 4);
  return mutantMaker;
}

struct Expected {
  const char *bug;
  std::vector<BugClass> classes; // bug classes that one finding or trap leaves possible
};

std::vector<std::string> namesOf(const std::vector<BugClass> &classes) {
  std::vector<std::string> names;
  for (const BugClass bugClass : classes)
    names.emplace_back(nameOf(bugClass));
  return names;
}

class Proved : public testing::TestWithParam<Expected> {};

TEST_P(Proved, ClassesContainThatOfTheBug) {
  size_t caught = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    auto injected = maker().inject(GetParam().bug, seed);
    if (!injected)
      continue;
    const RunMutant ran = maker().run(*std::move(injected));
    SCOPED_TRACE(printBugChoice(ran.mutant.bug.choice) + ": " + ran.caught.message);
    if (ran.caught.by.empty())
      continue;
    ++caught;
    ASSERT_TRUE(ran.run.cause);
    const std::vector<BugClass> &classes = ran.run.cause->classes;
    EXPECT_NE(std::ranges::find(classes, ran.mutant.bug.choice.bug->bugClass), classes.end())
        << testing::PrintToString(namesOf(classes));
    for (const BugClass bugClass : classes)
      EXPECT_NE(std::ranges::find(GetParam().classes, bugClass), GetParam().classes.end())
          << nameOf(bugClass);
    EXPECT_EQ(nameOf(ran.run.cause->by), ran.caught.by);
  }
  EXPECT_GT(caught, 0u);
}

using enum BugClass;
const std::vector<BugClass> lostOrder = {synchronisation, serialisation},
                            strayData = {memoryMapping, splitting, dataAccess},
                            sharedBytes = {memoryAllocation, memoryMapping, dataAccess, synchronisation};

INSTANTIATE_TEST_SUITE_P(
    Bugs, Proved,
    testing::Values(Expected{"wait-deleted", lostOrder}, Expected{"wait-late", lostOrder},
                    Expected{"wait-semaphore", lostOrder}, Expected{"signal-deleted", {synchronisation}},
                    Expected{"signal-early", lostOrder}, Expected{"sync-deleted", lostOrder},
                    Expected{"instructions-swapped", lostOrder}, Expected{"buffers-overlap", sharedBytes},
                    Expected{"dma-short", strayData}, Expected{"store-wrong-tensor", strayData},
                    Expected{"lost-signal", {hardware}}, Expected{"wrong-destination", {hardware}}),
    [](const auto &info) {
      std::string name = info.param.bug;
      std::erase(name, '-');
      return name;
    });

// All outputs of a check of a mutant: records, text, JUnit file and JSON document.
struct Said {
  std::vector<Json> records;
  Json document;
  std::string table, suites;

  explicit Said(const RunMutant &ran) {
    CheckDescription description;
    description.model = "small";
    description.precision = "int8";
    records = {checkRunRecord(description, ran.run)};
    if (std::optional<Json> program = programRecord(description, ran.run))
      records.push_back(*std::move(program));
    for (Json &finding : findingRecords(ran.run))
      records.push_back(std::move(finding));
    EXPECT_TRUE(maker().checked().judge(ran.run, {}, [&](const CheckedTensor &tensor) {
      records.push_back(checkedRecord(ran.run.program, tensor));
      return success();
    }));
    if (std::optional<Json> verdict = networkVerdict(ran.run, {}, records))
      records.push_back(*std::move(verdict));
    records.push_back(summaryRecord(records));
    document = checkDocument(records);
    table = asCheckTable(records);
    suites = asJUnit(records);
  }
};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

TEST(ProvedVerdict, ListsEveryFindingWithInstructionsLayersAndBytes) {
  const RunMutant ran = maker().run("wait-deleted", 1);
  ASSERT_FALSE(ran.run.findings.empty());
  const Said said(ran);
  EXPECT_EQ(said.document["match"], false);
  EXPECT_EQ(said.document["verdict"]["class"], "synchronisation");
  EXPECT_EQ(said.document["verdict"]["proved"], true);
  EXPECT_TRUE(said.document["verdict"]["layer"].is_string());
  ASSERT_EQ(said.document["findings"].size(), ran.run.findings.size() + ran.run.accumulated.traps.size());
  for (const Json &finding : said.document["findings"]) {
    ASSERT_FALSE(finding["places"].empty()) << finding;
    for (const Json &place : finding["places"]) {
      EXPECT_TRUE(place["layer"].is_string()) << place;
      EXPECT_TRUE(place["instruction"].is_number()) << place;
      EXPECT_TRUE(contains(said.suites, "  at stage '" + place["stage"].get<std::string>())) << place;
    }
    if (finding["kind"] == "race") {
      EXPECT_EQ(finding["places"].size(), 2u);
      EXPECT_LE(finding["bytes"][0], finding["bytes"][1]);
    }
  }
  // The verdict comes first, then the program with its first finding, then the table of tensors.
  EXPECT_TRUE(said.table.starts_with("  verdict on ")) << said.table;
  const size_t first = said.table.find(said.document["findings"][0]["reason"].get<std::string>());
  EXPECT_LT(first, said.table.find("tensor  ")) << said.table;
  EXPECT_TRUE(contains(said.suites, "classname=\"tilerig.check.program\""));
  const std::string reason = said.document["program"][0]["reason"];
  EXPECT_TRUE(contains(reason, said.document["findings"][0]["reason"].get<std::string>())) << reason;
}

// A terminal shows only a few of many findings, and their number.
TEST(ProvedVerdict, CountsTheFindingsThatATerminalCannotShow) {
  RunMutant ran = maker().run("wait-deleted", 1);
  ASSERT_FALSE(ran.run.findings.empty());
  ran.run.findings.assign(9, ran.run.findings.front());
  ran.run.counts = {{"race", 1234}};
  ran.run.accumulated.traps.clear();
  const Said said(ran);
  EXPECT_TRUE(contains(said.table, "the analyser found 1,234 × race")) << said.table;
  EXPECT_TRUE(contains(said.table, "and 1229 more")) << said.table;
  EXPECT_EQ(said.document["findings"].size(), 9u);
}

TEST(ProvedVerdict, OfSeveralClassesTellsWhichArePossible) {
  const RunMutant ran = maker().run("buffers-overlap", 1);
  ASSERT_TRUE(ran.run.cause);
  ASSERT_FALSE(ran.run.cause->isOneClass());
  const Said said(ran);
  const Json &verdict = said.document["verdict"];
  EXPECT_EQ(verdict["answer"], "one_of");
  EXPECT_EQ(verdict["classes"], Json(namesOf(ran.run.cause->classes)));
  EXPECT_EQ(verdict["class"], "memory_allocation");
  EXPECT_EQ(verdict["probabilities"]["no_error"], 0);
  EXPECT_TRUE(contains(said.table, "proved by the analyser to be one of memory_allocation (50 %)"))
      << said.table;
  const std::string classes = fmt::format("{}", fmt::join(namesOf(ran.run.cause->classes), ", "));
  EXPECT_TRUE(contains(said.suites, "proved to be one of " + classes)) << said.suites;
}

TEST(ProvedVerdict, OfACleanProgramIsNone) {
  const RunMutant ran = maker().run("none", 1);
  EXPECT_FALSE(ran.run.cause);
  const Said said(ran);
  EXPECT_EQ(said.document["verdict"]["class"], "no_error");
  EXPECT_EQ(said.document["verdict"]["proved"], false);
  EXPECT_FALSE(said.document.contains("findings"));
  EXPECT_FALSE(contains(said.table, "verdict"));
}

// A trap about a value, such as an index outside its table, does not show which bug class caused it; but the
// verdict must not be "no error" either.
TEST(ProvedVerdict, OfATrapAboutAValueNamesNoClass) {
  RunMutant ran = maker().run("none", 1);
  ran.run.accumulated.faults = {"data_fault: an index outside its table"};
  ran.run.accumulated.traps = {
      {.by = FoundBy::trap, .kind = "data_fault", .text = "an index outside its table"}};
  EXPECT_FALSE(causeOfTraps(ran.run.program, ran.run.accumulated.traps));
  const Said said(ran);
  EXPECT_EQ(said.document["verdict"]["answer"], "cannot_say");
  EXPECT_TRUE(contains(said.document["verdict"]["reason"], "an index outside its table"));
  EXPECT_EQ(said.document["match"], false);
}

} // namespace
} // namespace tilerig::verify::test
