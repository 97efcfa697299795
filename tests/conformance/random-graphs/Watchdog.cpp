#include "tests/conformance/random-graphs/Watchdog.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

namespace tilerig::meaning {

namespace {

constexpr int exitFault = 1;
char message[512]; // a static buffer, since a signal handler must not allocate memory

void stop(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, std::strlen(message));
  _exit(exitFault);
}

void setTimer(unsigned seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

} // namespace

Watchdog::Watchdog(const std::string &subject, unsigned seconds) {
  const std::string text = subject.substr(0, sizeof(message) - 40) + ": does not come to an end\n";
  std::copy_n(text.c_str(), text.size() + 1, message);
  std::signal(SIGPROF, stop);
  setTimer(seconds);
}

Watchdog::~Watchdog() { setTimer(0); }

} // namespace tilerig::meaning
