#include "tests/support/RunProgram.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilerig::test {

[[noreturn]] static void die(const char *call) {
  std::perror(call);
  std::abort();
}

// An unnamed temporary file for output. Unlike a pipe it never blocks: a program may fill both streams in any
// order.
static FILE *scratch() {
  FILE *file = std::tmpfile();
  if (!file)
    die("tmpfile");
  return file;
}

static std::string contentsOf(FILE *file) {
  std::string text;
  std::array<char, 4096> part;
  std::rewind(file);
  while (size_t count = std::fread(part.data(), 1, part.size(), file))
    text.append(part.data(), count);
  std::fclose(file);
  return text;
}

static void becomeProgram(const std::vector<std::string> &words, int input, int output, int errors) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

Outcome runProgram(const std::vector<std::string> &words, const std::string &outputFile) {
  FILE *output = scratch(), *errors = scratch();
  int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int sink = outputFile.empty() ? ::fileno(output) : ::open(outputFile.c_str(), O_WRONLY | O_CLOEXEC);
  pid_t child = ::fork();
  if (child == 0)
    becomeProgram(words, input, sink, ::fileno(errors));
  // A fork that fails, for instance under load, says nothing about the program, so it is an error of the
  // test.
  if (child < 0)
    die("fork");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      die("waitpid");
  ::close(input);
  if (!outputFile.empty())
    ::close(sink);
  Outcome outcome;
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.output = contentsOf(output);
  outcome.errors = contentsOf(errors);
  return outcome;
}

std::string commandFolder() { return TILERIG_COMMAND_FOLDER; }

} // namespace tilerig::test
