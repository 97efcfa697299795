// The front door: `tilerig COMMAND args...` starts the program `tilerig-COMMAND` in its own directory or, if
// there is none, the first one on PATH.
//
// The front door has only the table of commands and links none of them, so that each command loads just what
// it needs: `tilerig disasm` never loads the compiler, and `tilerig --version` responds at once. The started
// program replaces this process, and so determines the exit code and receives the signals and standard
// streams.

#include "isa/Base/CommandLine/Commands.h"
#include "isa/Base/CommandLine/ErrorJson.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Support/Writable.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilerig {
namespace {

// The directory of this program with links resolved and a trailing slash; empty if it cannot be determined.
std::string ownFolder() {
  char path[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string_view whole(path, length > 0 ? static_cast<size_t>(length) : 0);
  return std::string(whole.substr(0, whole.rfind('/') + 1));
}

std::string programOf(std::string_view name) { return "tilerig-" + std::string(name); }

bool standsBeside(const CommandInfo &command) {
  return ::access((ownFolder() + programOf(command.name)).c_str(), X_OK) == 0;
}

std::string helpText() {
  std::string text =
      "tilerig " TILERIG_VERSION ": compile ONNX to a 64-tile accelerator, emulate it, verify every layer\n\n"
      "usage: tilerig COMMAND [ARGUMENT...]\n"
      "       tilerig help COMMAND\n"
      "       tilerig --help | --version\n";
  std::string_view group;
  for (const CommandInfo &command : commandTable) {
    if (!standsBeside(command))
      continue;
    if (command.group != group)
      text += "\n" + std::string(group = command.group) + "\n";
    std::string name(command.name);
    name.resize(11, ' ');
    text += "  " + name + std::string(command.summary) + "\n";
  }
  return text +
         "\nexit codes: 0 done or match, 1 mismatch found, 2 wrong usage, 3 input invalid or not supported,\n"
         "            4 internal error\n"
         "example: tilerig disasm model.trb\n";
}

bool wantsJson = false;

int refuse(const Error &error) {
  if (wantsJson)
    std::printf("%s\n", printableLines(errorDocument(error)).c_str());
  else
    std::fprintf(stderr, "tilerig: %s\n", printable(error.message()).c_str());
  return static_cast<int>(exitCodeOf(error.kind));
}

int refuseUnknown(std::string_view name) {
  std::vector<std::string_view> names;
  std::ranges::transform(commandTable, std::back_inserter(names), &CommandInfo::name);
  std::string_view nearest = nearestName(name, names);
  return refuse(usageError("", "there is no command '" + std::string(name) + "'",
                           nearest.empty() ? "tilerig --help lists the commands"
                                           : "did you mean '" + std::string(nearest) + "'?"));
}

int refuseAbsent(const CommandInfo &command) {
  std::string name(command.name);
  if (!command.exists)
    return refuse(usageError("", "command '" + name + "' does not exist in version " TILERIG_VERSION " yet",
                             "tilerig --help lists the commands"));
  return refuse(usageError("", "command '" + name + "' is not built",
                           "build it with scripts/build release tilerig-" + name));
}

int refuseStart(const std::string &program, int code) {
  return refuse(internalError("", "cannot start " + program + ": " + std::strerror(code)));
}

// Starts the command's program; returns an exit code only if none was started. `arguments` ends with a null
// pointer; its first element is replaced by the program.
int start(std::string_view name, std::vector<char *> arguments) {
  if (!name.empty() && name.find('/') == name.npos) {
    std::string program = programOf(name), beside = ownFolder() + program;
    arguments.front() = beside.data();
    ::execv(beside.c_str(), arguments.data());
    if (errno != ENOENT)
      return refuseStart(beside, errno);
    // For a directory on PATH without search permission, execvp reports EACCES for any name. EACCES therefore
    // counts as not found.
    ::execvp(program.c_str(), arguments.data());
    if (errno != ENOENT && errno != EACCES && errno != ENOTDIR)
      return refuseStart(program, errno);
  }
  const CommandInfo *known = findCommand(name);
  return known ? refuseAbsent(*known) : refuseUnknown(name);
}

int print(const std::string &text) {
  const bool arrived =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return arrived ? static_cast<int>(ExitCode::done) : refuse(standardOutputError());
}

// One line for each command whose program is installed beside this one: group, name and summary, separated by
// tabs.
std::string descriptions() {
  std::string text;
  for (const CommandInfo &command : commandTable)
    if (standsBeside(command))
      text += std::string(command.group) + "\t" + std::string(command.name) + "\t" +
              std::string(command.summary) + "\n";
  return text;
}

int enter(int argc, char **argv) {
  if (argc < 2) {
    std::fputs(helpText().c_str(), stderr);
    return static_cast<int>(ExitCode::usage);
  }
  std::string_view first = argv[1];
  wantsJson = std::ranges::find(argv + 1, argv + argc, std::string_view("--json")) != argv + argc;
  if (first == "--version")
    return print("tilerig " TILERIG_VERSION "\n");
  if (first == "--describe") // an option for generators of man pages and completions
    return print(descriptions());
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2))
    return print(helpText());
  if (first == "help") {
    char help[] = "--help";
    return start(argv[2], {nullptr, help, nullptr});
  }
  if (first.starts_with('-'))
    return refuse(
        usageError("", "there is no option '" + std::string(first) + "'", "tilerig --help shows the usage"));
  return start(first, std::vector<char *>(argv + 1, argv + argc + 1));
}

} // namespace
} // namespace tilerig

int main(int argc, char **argv) { return tilerig::enter(argc, argv); }
