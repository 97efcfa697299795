// Measures the delay instructions of a program in a timed run: how long each was, and how long the transfer
// that follows it competed with others for DDR, ports or links. From these measurements the loader can set
// the delays of the next run.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

// One delay instruction of an inference stage.
struct DelayStatistics {
  uint16_t id = 0;
  uint32_t stage = 0, tile = 0, layer = 0;
  uint64_t cycles = 0; // length of the delay in this run, in cycles
  // By how much the next transfer of the same engine took longer than it would alone on the machine. 0 if the
  // next instruction is not a transfer.
  uint64_t contentionCycles = 0;
};

void addDelays(const Program &program, const StageCosts &costs, const Timeline &timeline,
               std::vector<DelayStatistics> &delays);

// Returns the cycles of each delay for the next run, by id. A delay is increased by the contention of the
// transfer that follows it, so that this transfer would end at the same time as before if it no longer
// competed for shared resources. If several delays have the same id, the smallest amount is used.
DelayAmounts delaysFrom(const std::vector<DelayStatistics> &measured);

// A hash of the program's content, which identifies the program that was measured. (The analyser's proof is
// bound to the same hash.)
uint64_t contentHashOf(const Program &program);

} // namespace tilerig::emulator
