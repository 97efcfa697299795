// Ends the program, with a word about where it was, when something takes too much of the processor's time: a
// pass that goes round in circles would else be a test that says nothing.
#pragma once

#include <string>

namespace tilerig::meaning {

class Watchdog {
public:
  // While it lives; of the process's own time, so that a busy machine makes no difference. One at a time.
  Watchdog(const std::string &what, unsigned seconds);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
};

} // namespace tilerig::meaning
