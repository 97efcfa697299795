// Collects the faults of a run in order of time.
#pragma once

#include "emulator/Traps/Fault.h"

#include <set>

namespace tilerig::emulator {

class FaultLog {
public:
  explicit FaultLog(OnFault onFault) : onFault(onFault) {}

  // Records a fault. Returns false if the fault ends the run. Each kind of fault is recorded only once for an
  // instruction, even if the instruction has a thousand faulty rows.
  bool add(Fault fault) {
    if (seen.insert(keyOf(fault, faults.size())).second)
      faults.push_back(std::move(fault));
    return onFault == OnFault::continueRun;
  }
  // Removes all faults but the first `count`.
  void undoTo(size_t count) {
    for (; faults.size() > count; faults.pop_back())
      seen.erase(keyOf(faults.back(), faults.size() - 1));
  }

  std::vector<Fault> faults;

private:
  using Key = std::pair<std::tuple<uint32_t, uint32_t, uint32_t>, FaultKind>;
  static Key keyOf(const Fault &fault, size_t index) {
    if (fault.place)
      return {{fault.place->stage, fault.place->tile, fault.place->instruction}, fault.kind};
    return {{UINT32_MAX, 0u, static_cast<uint32_t>(index)}, fault.kind};
  }

  OnFault onFault;
  std::set<Key> seen;
};

} // namespace tilerig::emulator
