// Tests of the front door, the program `tilerig` that starts the programs of commands, run as a program: in
// the build's folder, and copied to a folder of made-up commands.

#include "isa/Base/CommandLine/Commands.h"
#include "isa/Base/Support/Json.h"
#include "tests/support/RunProgram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace tilerig::test {
namespace {

namespace fs = std::filesystem;

void writeScript(const fs::path &path, const std::string &text) {
  std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
  fs::permissions(path, fs::perms::owner_all);
}

// Fixture with a copy of the front door (the program `tilerig`, which starts the programs of commands) in a
// folder of its own, to which each test adds commands.
class FrontDoor : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "front-door-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = fs::canonical(name);
    fs::create_directories(folder / "bin");
    fs::create_directories(folder / "elsewhere");
    fs::copy(commandFolder() + "/tilerig", folder / "bin/tilerig");
  }
  void TearDown() override { fs::remove_all(folder); }

  // Adds a command that prints its own path and each argument in brackets, and exits with 7.
  void addCommand(const std::string &name, const std::string &where = "bin") {
    writeScript(folder / where / ("tilerig-" + name), R"(printf '%s' "$0"; printf '[%s]' "$@"; exit 7)");
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), folder / "bin/tilerig");
    return runProgram(words);
  }
  std::string pathOf(const std::string &name) { return folder / "bin" / ("tilerig-" + name); }

  fs::path folder;
};

bool isOneLine(const std::string &text) {
  return text.ends_with('\n') && std::count(text.begin(), text.end(), '\n') == 1;
}

TEST_F(FrontDoor, HandsArgumentsAndExitCodeThrough) {
  addCommand("asm");
  Outcome outcome = run({"asm", "a b", "", "--help", "-o"});
  EXPECT_EQ(outcome.exitCode, 7);
  EXPECT_EQ(outcome.output, pathOf("asm") + "[a b][][--help][-o]");
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(FrontDoor, HelpOfACommandIsItsOwn) {
  addCommand("asm");
  EXPECT_EQ(run({"help", "asm"}).output, pathOf("asm") + "[--help]");
}

TEST_F(FrontDoor, FindsTheCommandsBesideItThroughALink) {
  addCommand("asm");
  fs::create_symlink(folder / "bin/tilerig", folder / "elsewhere/tilerig");
  Outcome outcome = runProgram({folder / "elsewhere/tilerig", "asm", "x"});
  EXPECT_EQ(outcome.output, pathOf("asm") + "[x]");
}

TEST_F(FrontDoor, LooksBesideItselfFirstAndOnPathThen) {
  addCommand("asm");
  addCommand("asm", "elsewhere");
  addCommand("extra", "elsewhere");
  std::string path = "PATH=" + (folder / "elsewhere").string() + ":" + std::getenv("PATH");
  auto withPath = [&](const std::string &name) {
    return runProgram({"env", path, folder / "bin/tilerig", name, "x"}).output;
  };
  EXPECT_EQ(withPath("asm"), pathOf("asm") + "[x]");
  EXPECT_EQ(withPath("extra"), (folder / "elsewhere/tilerig-extra").string() + "[x]");
}

TEST_F(FrontDoor, HelpListsTheCommandsThatAreThere) {
  addCommand("asm");
  addCommand("zoo");
  Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.errors, "");
  for (const CommandInfo &command : commandTable) {
    std::string line = "\n  " + std::string(command.name) + " ";
    bool listed = outcome.output.find(line) != std::string::npos;
    EXPECT_EQ(listed, command.name == "asm" || command.name == "zoo") << command.name;
    if (listed) {
      EXPECT_NE(outcome.output.find(std::string(command.summary) + "\n"), std::string::npos) << command.name;
    }
  }
  EXPECT_EQ(run({"-h"}).output, outcome.output);
  EXPECT_EQ(run({"help"}).output, outcome.output);
}

TEST_F(FrontDoor, WithoutACommandShowsTheUsageAsAnError) {
  Outcome outcome = run({});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, run({"--help"}).output);
}

TEST_F(FrontDoor, AMisspeltCommandGetsTheNearestName) {
  const std::pair<std::string, std::string> slips[] = {
      {"dissasm", "disasm"}, {"complie", "compile"}, {"evaluat", "evaluate"}, {"inspekt", "inspect"}};
  for (const auto &[slip, meant] : slips) {
    Outcome outcome = run({slip});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_TRUE(isOneLine(outcome.errors)) << outcome.errors;
    EXPECT_NE(outcome.errors.find("did you mean '" + meant + "'?"), std::string::npos) << outcome.errors;
  }
}

TEST_F(FrontDoor, ANameLikeNoneGetsNoSuggestion) {
  for (std::string name : {"xylophone", "", "/bin/true", "../bin/tilerig", "asm/"}) {
    Outcome outcome = run({name});
    EXPECT_EQ(outcome.exitCode, 2) << name;
    EXPECT_TRUE(isOneLine(outcome.errors)) << outcome.errors;
    EXPECT_EQ(outcome.output, "") << name;
  }
  EXPECT_NE(run({"xylophone"}).errors.find("tilerig --help lists the commands"), std::string::npos);
}

TEST_F(FrontDoor, AnUnknownOptionIsWrongUsage) {
  Outcome outcome = run({"--verbose"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_NE(outcome.errors.find("'--verbose'"), std::string::npos) << outcome.errors;
}

TEST_F(FrontDoor, ErrorsAreDocumentsForThoseWhoAsk) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"dissasm", "--json"}, {"--json", "x"}}) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errors, "");
    const auto document = nlohmann::json::parse(outcome.output, nullptr, false);
    EXPECT_EQ(document["error"]["kind"], "usage") << outcome.output;
  }
}

TEST_F(FrontDoor, AKnownCommandThatIsAbsentSaysWhatToDo) {
  for (const CommandInfo &command : commandTable) {
    std::string name(command.name);
    Outcome outcome = run({name});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_TRUE(isOneLine(outcome.errors)) << outcome.errors;
    std::string expected =
        command.exists ? "build it with scripts/build release tilerig-" + name : "does not exist in version";
    EXPECT_NE(outcome.errors.find(expected), std::string::npos) << outcome.errors;
  }
}

TEST_F(FrontDoor, ACommandThatCannotStartIsNotCalledUnknown) {
  addCommand("asm");
  fs::permissions(pathOf("asm"), fs::perms::owner_read);
  Outcome outcome = run({"asm"});
  EXPECT_EQ(outcome.exitCode, 4);
  EXPECT_NE(outcome.errors.find("cannot start " + pathOf("asm")), std::string::npos) << outcome.errors;
}

TEST_F(FrontDoor, OutputThatDoesNotArriveIsAnError) {
  for (const char *option : {"--version", "--help"}) {
    const Outcome outcome = runProgram({folder / "bin/tilerig", option}, "/dev/full");
    EXPECT_EQ(outcome.exitCode, 3) << option;
    EXPECT_NE(outcome.errors.find("standard output: cannot write"), std::string::npos) << outcome.errors;
  }
}

TEST(Commands, NamesAreUniqueAndRowsOfAGroupStandTogether) {
  std::set<std::string_view> names, groups;
  std::string_view group;
  for (const CommandInfo &command : commandTable) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_LE(command.name.size(), 9u) << command.name << " is wider than the column of the help";
    if (command.group != group) {
      EXPECT_TRUE(groups.insert(group = command.group).second) << command.group;
    }
  }
}

// A command that the command table marks as planned must not exist in the build: whoever adds the command has
// to update the table.
TEST(Commands, APlannedCommandIsNotInTheBuild) {
  for (const CommandInfo &command : commandTable) {
    if (!command.exists) {
      EXPECT_FALSE(fs::exists(commandFolder() + "/tilerig-" + std::string(command.name))) << command.name;
    }
  }
}

} // namespace
} // namespace tilerig::test
