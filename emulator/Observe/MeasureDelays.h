// What a timed run says of the delays of a program: how long each was, and how long the transfer behind it
// then shared its ways with others. From that the loader can set delays for the next run.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig {

// One delay instruction of an inference stage.
struct DelayStatistics {
  uint16_t id = 0;
  uint32_t stage = 0, tile = 0, layer = 0;
  uint64_t cycles = 0; // as it was in this run
  // By how much the next transfer of the delay's engine took longer than alone on the machine. 0 if something
  // that is no transfer comes next.
  uint64_t contentionCycles = 0;
};

void addDelays(const Program &program, const StageCosts &costs, const Timeline &timeline,
               std::vector<DelayStatistics> &delays);

// What is set for the next run, by id: the delay grown by the contention that was measured behind it, so that
// the transfer would end when it did if it had its ways for itself. Of delays that have one id the least.
DelayAmounts delaysFrom(const std::vector<DelayStatistics> &measured);

// What says that a measurement is of this program: the hash that its proof is bound to.
uint64_t contentHashOf(const Program &program);

} // namespace tilerig
