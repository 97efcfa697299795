// A progress bar, drawn on standard error if that is a terminal and the work takes longer than a second, and
// erased when the work is done. It prints nothing otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tilerig {

class Progress {
public:
  // `total` is the number of steps of the work; with 0, no progress bar is drawn.
  Progress(std::string title, uint64_t total);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void advance(uint64_t steps = 1);

private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);

  std::string title;
  uint64_t total, done = 0;
  Clock::time_point start, lastDrawn;
  bool terminal, visible = false;
};

} // namespace tilerig
