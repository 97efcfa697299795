// What the stages of a run share: the loaded machine, and what the run has found and changed so far.
#pragma once

#include "emulator/Beats/ChangeLog.h"
#include "emulator/Beats/LoadedMachine.h"
#include "emulator/Execute/PreparedOp.h"
#include "emulator/Traps/FaultLog.h"
#include "isa/Analyser/Constants.h"

namespace tilerig::emulator {

struct RunState {
  RunState(LoadedMachine &machine, OnFault onFault, bool everyBeat, bool recordsChanges)
      : machine(machine), everyBeat(everyBeat), initialised(machine.program), log(onFault),
        constants(machine.program), flips(machine.defects.flippedBits) {
    std::ranges::stable_sort(flips, {}, &FlippedBit::cycle);
    if (recordsChanges)
      changes.emplace(machine.memories, initialised);
  }

  LoadedMachine &machine;
  const bool
      everyBeat; // whether every instruction is split into beats (its rows), even without simultaneous accesses
  Initialised initialised;
  FaultLog log;
  const Constants constants;
  Scratch scratch;
  std::vector<FlippedBit> flips; // sorted by cycle
  size_t flipsDone = 0;          // number of bit flips that have been applied so far
  std::optional<ChangeLog> changes;
};

} // namespace tilerig::emulator
