#include "verify/Bisect/ChildProcess.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilerig::verify {

namespace {

constexpr size_t mostErrors = 2000; // number of bytes of standard error that are kept
constexpr int uncaughtException = 70;

Error systemError(const char *action) {
  return internalError("child process", fmt::format("{} failed: {}", action, std::strerror(errno)));
}

class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void close() {
    if (number >= 0)
      ::close(number);
    number = -1;
  }
  void reset(int other) {
    close();
    number = other;
  }
  int get() const { return number; }

private:
  int number;
};

struct CloseFile {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

void writeAll(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(to, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      ::_exit(uncaughtException); // the parent has gone
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// The child's side. Ends without destructors of the parent's objects, whose files and threads are not the child's.
[[noreturn]] void runBody(const std::function<void(const SendLine &)> &body, int messages, FILE *errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent has no standard streams, the descriptors may have the numbers of such streams.
  messages = ::fcntl(messages, F_DUPFD, STDERR_FILENO + 1);
  const int written = ::fcntl(::fileno(errors), F_DUPFD, STDERR_FILENO + 1);
  const int nothing = ::fcntl(::open("/dev/null", O_RDWR), F_DUPFD, STDERR_FILENO + 1);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(written, STDERR_FILENO);
  try {
    body([&](const std::string &line) { writeAll(messages, line + "\n"); });
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    std::fflush(stderr);
    ::_exit(uncaughtException);
  }
  ::_exit(0);
}

std::string endOf(FILE *file) {
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fseek(file, std::max(0L, size - static_cast<long>(mostErrors)), SEEK_SET);
  std::string text(mostErrors, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

using Clock = std::chrono::steady_clock;

// Reads messages until the child closes its end. Returns false if the time is over before.
Result<bool> readMessages(int from, double seconds, std::string &text) {
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::array<char, 1 << 16> buffer;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
    if (seconds > 0 && left <= 0)
      return false;
    pollfd waiting{from, POLLIN, 0};
    const int ready =
        ::poll(&waiting, 1, seconds > 0 ? static_cast<int>(std::min<int64_t>(left, INT32_MAX)) : -1);
    if (ready < 0 && errno != EINTR)
      return systemError("poll");
    if (ready <= 0)
      continue;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count == 0)
      return true;
    if (count < 0 && errno != EINTR)
      return systemError("read");
    if (count > 0)
      text.append(buffer.data(), static_cast<size_t>(count));
  }
}

std::vector<std::string> completeLines(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

} // namespace

Result<ChildEnd> runInChild(const std::function<void(const SendLine &)> &body, double seconds) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return systemError("pipe");
  Descriptor reading(ends[0]), writing(ends[1]);
  const File errors(std::tmpfile());
  if (!errors)
    return systemError("creating a temporary file");
  ::signal(SIGCHLD, SIG_DFL); // if the parent's parent ignores it, the end of a child cannot be waited for
  std::fflush(nullptr);       // so that the child does not write what the parent has buffered
  const pid_t child = ::fork();
  if (child < 0)
    return systemError("fork");
  if (child == 0)
    runBody(body, ends[1], errors.get());
  writing.close();
  std::string text;
  const Result<bool> inTime = readMessages(reading.get(), seconds, text);
  if (!inTime || !*inTime)
    ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return systemError("waiting");
  TILERIG_CHECK_OK(inTime);
  ChildEnd end;
  end.lines = completeLines(text);
  end.errors = endOf(errors.get());
  if (!*inTime) {
    end.kind = ChildEnd::Kind::timedOut;
    end.reason = fmt::format("no result after {} s", seconds);
  } else if (WIFSIGNALED(status)) {
    end.kind = ChildEnd::Kind::crashed;
    end.reason = fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    end.kind = ChildEnd::Kind::crashed;
    end.reason = WEXITSTATUS(status) == uncaughtException ? "an uncaught exception"
                                                          : fmt::format("exit code {}", WEXITSTATUS(status));
  }
  return end;
}

} // namespace tilerig::verify
