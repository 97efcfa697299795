// A timeout on CPU time: ends the process with a message that names the current step. Without it a pass that
// loops for ever would hang the test without saying which pass it was.
#pragma once

#include <string>

namespace tilerig::meaning {

class Watchdog {
public:
  // Starts the timer; the destructor stops the timer. The timer counts CPU time of the process, so that the
  // load of the host does not matter. Only one watchdog may exist at a time.
  Watchdog(const std::string &subject, unsigned seconds);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
};

} // namespace tilerig::meaning
