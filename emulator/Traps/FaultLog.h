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
    const auto key = fault.place ? std::tuple(fault.place->stage, fault.place->tile, fault.place->instruction)
                                 : std::tuple(UINT32_MAX, 0u, static_cast<uint32_t>(faults.size()));
    if (seen.emplace(key, fault.kind).second)
      faults.push_back(std::move(fault));
    return onFault == OnFault::continueRun;
  }

  std::vector<Fault> faults;

private:
  OnFault onFault;
  std::set<std::pair<std::tuple<uint32_t, uint32_t, uint32_t>, FaultKind>> seen;
};

} // namespace tilerig::emulator
