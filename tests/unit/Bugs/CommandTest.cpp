// Tests of the command `tilerig inject`, run as a program.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "tests/support/Folders.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

Outcome inject(std::vector<std::string> words) {
  words.insert(words.begin(), commandFolder() + "/tilerig-inject");
  return runProgram(words);
}

TEST(InjectCommand, ListsTheBugs) {
  const Outcome listed = inject({"--list", "--json"});
  ASSERT_EQ(listed.exitCode, 0) << listed.errors;
  const Json bugs = Json::parse(listed.output, nullptr, false);
  ASSERT_TRUE(bugs.is_array());
  EXPECT_GE(bugs.size(), 60u);
  std::set<std::string> classes;
  for (const Json &bug : bugs) {
    for (const char *field : {"id", "class", "stage", "site", "imitates"})
      EXPECT_TRUE(bug[field].is_string()) << bug;
    for (const char *field : {"layers", "precisions", "parameters"})
      EXPECT_TRUE(bug[field].is_array()) << bug;
    EXPECT_FALSE(bug["precisions"].empty());
    classes.insert(bug["class"]);
  }
  EXPECT_EQ(classes.size(), 21u);
  const Outcome table = inject({"--list"});
  EXPECT_EQ(table.exitCode, 0);
  for (const Json &bug : bugs)
    for (const char *field : {"id", "imitates"})
      EXPECT_NE(table.output.find("  " + bug[field].get<std::string>()), std::string::npos) << bug[field];
}

TEST(InjectCommand, InjectsABugIntoAProgram) {
  const TemporaryFolder folder;
  const std::string clean = folder.path("halo.trb"), mutant = folder.path("mutant.trb");
  ASSERT_EQ(
      runProgram({commandFolder() + "/tilerig-asm", test::examplePrograms() + "/halo.trasm", "-o", clean})
          .exitCode,
      0);
  const Outcome injected = inject({clean, "--bug", "wait-deleted", "--seed", "3", "-o", mutant, "--json"});
  ASSERT_EQ(injected.exitCode, 0) << injected.errors;
  const Json said = Json::parse(injected.output, nullptr, false);
  EXPECT_EQ(said["class"], "synchronisation");
  const Outcome shown = runProgram({commandFolder() + "/tilerig-inspect", mutant});
  EXPECT_NE(shown.output.find(said["injected"].get<std::string>()), std::string::npos) << shown.output;
  // The output of the first injection states the bug with all its parameters: injecting it again gives the
  // same file.
  const std::string again = folder.path("again.trb");
  ASSERT_EQ(inject({clean, "--bug", said["injected"], "-o", again}).exitCode, 0);
  EXPECT_EQ(*readText(again), *readText(mutant));
}

TEST(InjectCommand, RefusesWithTheReason) {
  const TemporaryFolder folder;
  const std::string clean = folder.path("halo.trb");
  ASSERT_EQ(
      runProgram({commandFolder() + "/tilerig-asm", test::examplePrograms() + "/halo.trasm", "-o", clean})
          .exitCode,
      0);
  const auto expect = [&](std::vector<std::string> words, int code, const std::string &why) {
    const Outcome outcome = inject(std::move(words));
    EXPECT_EQ(outcome.exitCode, code) << outcome.output;
    EXPECT_NE(outcome.errors.find(why), std::string::npos) << outcome.errors;
  };
  expect({}, 2, "PROGRAM");
  expect({clean, "-o", "x.trb"}, 2, "--bug");
  expect({"--list", clean}, 2, "--list");
  expect({clean, "--bug", "wait-deletd", "-o", "x.trb"}, 2, "did you mean 'wait-deleted'?");
  expect({clean, "--bug", "bias-missing", "-o", "x.trb"}, 3, "tilerig check --inject");
  expect({clean, "--bug", "wait-phase", "-o", "x.trb"}, 3, "halo.trb");
  expect({folder.path("no.trb"), "--bug", "wait-deleted", "-o", "x.trb"}, 3, "no.trb");
}

} // namespace
} // namespace tilerig::test
