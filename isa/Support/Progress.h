// A progress bar for people: drawn on standard error when that is a terminal and the work outlasts a second,
// silent everywhere else, and gone without a trace when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tilerig {

class Progress {
public:
  // `total` steps of work under this title; zero steps draw nothing.
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
