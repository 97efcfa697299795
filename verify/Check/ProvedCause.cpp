#include "verify/Check/ProvedCause.h"

namespace tilerig::verify {

std::optional<ProvedCause> provedCauseOf(const CheckRun &run) {
  const std::vector<std::string> &faults = run.accumulated.faults;
  const Order &order = run.order;
  if (order.unordered || order.stuck || order.leftOver)
    return ProvedCause{BugClass::synchronisation, "analyser", run.notProved};
  // A program that is proved has no faults on a machine that does what its instructions say.
  if (run.notProved.empty() && !faults.empty())
    return ProvedCause{BugClass::hardware, "trap", faults.front()};
  return std::nullopt;
}

} // namespace tilerig::verify
