#include "isa/Base/Support/Progress.h"

#include "isa/Base/Support/Printable.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <unistd.h>

namespace tilerig {

using namespace std::chrono_literals;

Progress::Progress(std::string title, uint64_t total)
    : title(printable(title)), total(total), start(Clock::now()), lastDrawn(start),
      terminal(::isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (visible)
    fmt::print(stderr, "\r\033[K");
}

void Progress::advance(uint64_t steps) {
  done = std::min(done + steps, total);
  if (!terminal || !total)
    return;
  auto now = Clock::now();
  if (now - start > 1s && now - lastDrawn > 100ms)
    draw(now);
}

void Progress::draw(Clock::time_point now) {
  constexpr int width = 30;
  double share = static_cast<double>(done) / static_cast<double>(total);
  int filled = static_cast<int>(share * width);
  double elapsed = std::chrono::duration<double>(now - start).count();
  std::string remaining = done ? fmt::format("{:.0f} s left", elapsed / share - elapsed) : "";
  fmt::print(stderr, "\r\033[K{} [{:=<{}}{:{}}] {:3.0f} % {}", title, "", filled, "", width - filled,
             share * 100, remaining);
  visible = true;
  lastDrawn = now;
}

} // namespace tilerig
