// Tests of the behaviour that all commands share: exit codes, output, errors, options. The tests run a small
// program (the fixture) that fails in the way that its arguments name.

#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace tilerig::test {
namespace {

Outcome fixture(std::vector<std::string> words, const std::string &output = {}) {
  words.insert(words.begin(), TILERIG_FIXTURE);
  return runProgram(words, output);
}

TEST(CommandLine, PrintsTheResultAndNothingElse) {
  Outcome outcome = fixture({"done"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.output, "answer 42\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(CommandLine, HelpNamesPurposeUsageOptionsAndExamples) {
  for (std::string flag : {"-h", "--help"}) {
    Outcome outcome = fixture({flag});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.errors, "");
    for (std::string part : {"behave as told", "tilerig fixture [OPTIONS] HOW", "behaviour to test", "--json",
                             "--version", "Example:\n  tilerig fixture done\n  tilerig fixture throw\n"})
      EXPECT_NE(outcome.output.find(part), std::string::npos) << part << " is missing in:\n"
                                                              << outcome.output;
  }
}

TEST(CommandLine, VersionIsTheFrontDoorsVersion) {
  Outcome outcome = fixture({"--version"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.output, runProgram({commandFolder() + "/tilerig", "--version"}).output);
}

TEST(CommandLine, WrongUsageIsOneLineWithAHint) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{}, {"done", "surplus"}, {"done", "--unknown"}, {"done", "--json=maybe"}}) {
    Outcome outcome = fixture(words);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_TRUE(outcome.errors.starts_with("tilerig fixture: ")) << outcome.errors;
    EXPECT_TRUE(outcome.errors.ends_with("; see tilerig fixture --help\n")) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
}

TEST(CommandLine, AnOptionThatThereIsNotSaysWhichWasMeant) {
  const std::pair<const char *, const char *> meant[] = {
      {"--inptu", "--input"}, {"--in=x", "--input"}, {"--outptu=x", "--output"}, {"--stat", "--stats"}};
  for (const auto &[wrong, right] : meant) {
    const Outcome outcome = fixture({"done", wrong});
    EXPECT_EQ(outcome.exitCode, 2);
    const std::string name = std::string(wrong).substr(0, std::string(wrong).find('='));
    EXPECT_EQ(outcome.errors,
              "tilerig fixture: there is no option " + name + "; did you mean " + right + "?\n");
  }
}

TEST(CommandLine, WhatIsReadIsNotWritten) {
  TemporaryFolder folder;
  const std::string file = folder.path("file"), link = folder.path("link");
  std::ofstream(file) << "precious";
  std::filesystem::create_symlink(file, link);
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"done", "--input", file, "-o", file},
        {"done", "--input", link, "--stats", file},
        {"done", "-o", folder.path("new"), "--stats", folder.path("./new")}}) {
    const Outcome outcome = fixture(words);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_NE(outcome.errors.find("choose another file name"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(
      fixture({"done", "--input", file, "-o", folder.path("other"), "--stats", folder.path("more")}).exitCode,
      0);
  EXPECT_EQ(fixture({"done", "-o", "/dev/null", "--stats", "/dev/null"}).exitCode, 0);
}

TEST(CommandLine, AnOptionIsNoFile) {
  for (const std::string name : {"--json", ""}) {
    const Outcome outcome = fixture({"done", "-o", name});
    EXPECT_EQ(outcome.exitCode, 2) << name;
    EXPECT_NE((outcome.output + outcome.errors).find("is not a file name"), std::string::npos)
        << outcome.errors;
  }
}

// How the test program is to fail (with an error or an exception), the expected exit code, and parts of the
// message.
struct Refusal {
  std::string how;
  int exitCode;
  std::string kind, place, what, remedy;
};
const std::string pleaseReport = "this is a bug of tilerig: please report it";
const std::vector<Refusal> refusals{
    {"usage", 2, "usage", "--tiles", "65 is too many", "give 1 to 64"},
    {"invalidInput", 3, "invalidInput", "a.trb", "its header is cut off", "write it anew"},
    {"unsupported", 3, "unsupported", "a \"quoted\" name\xff", "it has\na line break", ""},
    {"internal", 4, "internal", "planner", "a buffer has no address", pleaseReport},
    {"memory", 4, "internal", "", "out of memory", "free memory, or work on a smaller input"},
    {"throw", 4, "internal", "", "an invariant broke", pleaseReport},
    {"number", 4, "internal", "", "an exception of unknown type was not caught", pleaseReport},
};

TEST(CommandLine, ARefusalGoesToStandardErrorAndSetsTheExitCode) {
  for (const Refusal &refusal : refusals) {
    Outcome outcome = fixture({refusal.how});
    const std::string expected = (refusal.place.empty() ? "" : refusal.place + ": ") + refusal.what +
                                 (refusal.remedy.empty() ? "" : "; " + refusal.remedy);
    EXPECT_EQ(outcome.exitCode, refusal.exitCode) << refusal.how;
    EXPECT_EQ(outcome.errors, "tilerig fixture: " + printable(expected) + "\n");
    EXPECT_EQ(outcome.output, "");
  }
}

TEST(CommandLine, UnderJsonARefusalIsTheOneDocumentOfStandardOutput) {
  for (const Refusal &refusal : refusals) {
    Outcome outcome = fixture({refusal.how, "--json"});
    EXPECT_EQ(outcome.exitCode, refusal.exitCode) << refusal.how;
    EXPECT_EQ(outcome.errors, "");
    auto error = nlohmann::json::parse(outcome.output).at("error");
    EXPECT_EQ(error.at("kind"), refusal.kind);
    EXPECT_EQ(error.at("what"), refusal.what);
    EXPECT_EQ(error.at("remedy"), refusal.remedy);
    // A byte that is not UTF-8 becomes the replacement character, because JSON cannot hold it.
    std::string place = refusal.place;
    if (place.ends_with('\xff'))
      place.replace(place.size() - 1, 1, "\xEF\xBF\xBD");
    EXPECT_EQ(error.at("place"), place);
  }
}

TEST(CommandLine, UnderJsonWrongUsageIsJsonToo) {
  Outcome outcome = fixture({"--unknown", "--json"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("error").at("kind"), "usage");
}

TEST(CommandLine, JsonResultsComeFromTheBody) {
  Outcome outcome = fixture({"--json", "done"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("answer"), 42);
}

TEST(CommandLine, AMismatchIsAResultNotAnError) {
  Outcome outcome = fixture({"mismatch"});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errors, "");
}

TEST(CommandLine, OutputThatDoesNotArriveIsAnError) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"done"}, {"done", "--json"}, {"--help"}, {"--version"}}) {
    Outcome outcome = fixture(words, "/dev/full");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_NE(outcome.errors.find("standard output: cannot write"), std::string::npos) << outcome.errors;
  }
}

// If its reader closes the pipe, the command ends silently. The shell starts it with SIGPIPE ignored, as some
// job runners do; `head` exits after one line.
TEST(CommandLine, APipeNobodyReadsEndsItSilently) {
  Outcome outcome = runProgram({"bash", "-c", R"(trap '' PIPE
    "$0" flood | head -n 1
    echo "${PIPESTATUS[0]}")",
                                TILERIG_FIXTURE});
  EXPECT_EQ(outcome.output, "one line of many\n" + std::to_string(128 + SIGPIPE) + "\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(CommandLine, ASignalLeavesNoTemporaryFile) {
  TemporaryFolder folder;
  std::ofstream(folder.path("out")) << "old";
  for (const auto &[how, signal] : {std::pair("interrupt", SIGINT), std::pair("terminate", SIGTERM)}) {
    EXPECT_EQ(fixture({how, "-o", folder.path("out")}).exitCode, 128 + signal);
    std::string text;
    std::ifstream(folder.path("out")) >> text;
    EXPECT_EQ(text, "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                            std::filesystem::directory_iterator()),
              1);
  }
}

// A signal that is ignored at the start, as with nohup and in shell background jobs, stays ignored.
TEST(CommandLine, AnIgnoredSignalStaysIgnored) {
  TemporaryFolder folder;
  const Outcome outcome = runProgram(
      {"bash", "-c", "trap '' INT; \"$0\" interrupt -o \"$1\"", TILERIG_FIXTURE, folder.path("out")});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
}

} // namespace
} // namespace tilerig::test
