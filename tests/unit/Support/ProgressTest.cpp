// Tests of the progress bar. It appears after a second, so the tests wait; a slower machine only waits
// longer.
#include "isa/Base/Support/Progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace tilerig {

// Redirects standard error to the given descriptor during its lifetime.
class Redirected {
public:
  explicit Redirected(int fd) : saved(::dup(STDERR_FILENO)) { ::dup2(fd, STDERR_FILENO); }
  ~Redirected() {
    ::dup2(saved, STDERR_FILENO);
    ::close(saved);
  }

private:
  int saved;
};

static std::string readAvailable(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string text;
  char buffer[256];
  for (ssize_t got; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, got);
  return text;
}

static void workForAWhile() {
  Progress progress("compiling", 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  progress.advance(2);
}

TEST(Progress, IsSilentWhereNobodyWatches) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Redirected redirected(ends[1]);
    workForAWhile();
  }
  EXPECT_EQ(readAvailable(ends[0]), "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Progress, DrawsOnATerminalAndCleansUp) {
  int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0)
    GTEST_SKIP() << "no terminal to be had";
  int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  if (terminal < 0)
    GTEST_SKIP() << "no terminal to be had";
  {
    Redirected redirected(terminal);
    workForAWhile();
  }
  std::string text = readAvailable(master);
  EXPECT_NE(text.find("compiling ["), std::string::npos) << text;
  EXPECT_NE(text.find("50 %"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
  ::close(terminal);
  ::close(master);
}

TEST(Progress, OfNothingIsSilent) {
  testing::internal::CaptureStderr();
  { Progress("nothing", 0).advance(); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace tilerig
