#include "compiler/Processes/StartCommand.h"

#include "isa/Base/Support/StrictJson.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilerig::compiler {

namespace {

// Connects the standard streams of the command to be started: its output goes to the given file, its input
// and errors to /dev/null.
class Streams {
public:
  explicit Streams(int output) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~Streams() { ::posix_spawn_file_actions_destroy(&actions); }
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  posix_spawn_file_actions_t actions;
};

struct CloseFile {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

Result<int> runToEnd(const std::string &program, std::vector<std::string> &words, int output) {
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const Streams streams(output);
  pid_t child = 0;
  if (const int code =
          ::posix_spawn(&child, program.c_str(), &streams.actions, nullptr, arguments.data(), environ))
    return Error{ErrorKind::internal, program,
                 fmt::format("the program cannot be started: {}", std::strerror(code)),
                 "build or install all commands of tilerig together"};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return internalError(program, fmt::format("waiting for the program failed: {}", std::strerror(errno)));
  if (WIFSIGNALED(status))
    return Error{ErrorKind::internal, program,
                 fmt::format("the program was terminated by signal {}", WTERMSIG(status)),
                 "the host may have run out of memory"};
  return WEXITSTATUS(status);
}

std::string contentsOf(FILE *file) {
  std::string text;
  std::array<char, 4096> part;
  std::rewind(file);
  while (const size_t count = std::fread(part.data(), 1, part.size(), file))
    text.append(part.data(), count);
  return text;
}

// The error that a command has printed as JSON. A usage error becomes an internal error, because this
// program, not the user, wrote the command line.
Error errorOf(const std::string &program, int exitCode, const std::string &output) {
  const auto json = parseStrictJson(output, program);
  const JsonPlace error = JsonPlace{json ? &*json : nullptr, program}.at("error");
  if (!error.expectObject())
    return internalError(
        program, fmt::format("the program ended with exit code {}, without an error message", exitCode));
  const auto textOf = [&](const char *key) {
    const auto text = error.at(key).text();
    return text ? *text : std::string();
  };
  Error result{ErrorKind::internal, textOf("place"), textOf("what"), textOf("remedy")};
  if (const std::string kind = textOf("kind"); kind == "invalidInput")
    result.kind = ErrorKind::invalidInput;
  else if (kind == "unsupported")
    result.kind = ErrorKind::unsupported;
  return result;
}

} // namespace

std::string programBeside(const std::string &name) {
  std::error_code ignored;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (own.parent_path() / ("tilerig-" + name)).string();
}

Result<std::string> startCommand(const std::string &program, std::vector<std::string> arguments) {
  // The output of the command goes to a file, because a pipe would have to be read while the command runs.
  const File output(std::tmpfile());
  if (!output)
    return invalidInput("temporary folder", std::string("cannot create a file: ") + std::strerror(errno),
                        "free some space, or set TMPDIR to another folder");
  arguments.insert(arguments.begin(), program);
  arguments.push_back("--json");
  TILERIG_TRY(const int exitCode, runToEnd(program, arguments, ::fileno(output.get())));
  std::string text = contentsOf(output.get());
  if (exitCode != static_cast<int>(ExitCode::done) && exitCode != static_cast<int>(ExitCode::mismatch))
    return errorOf(program, exitCode, text);
  return text;
}

} // namespace tilerig::compiler
