// What every step of a stage costs, looked up once: the formulas of isa/Timing, by thread and step.
#pragma once

#include "isa/Analyser/Threads.h"
#include "isa/Timing/Dma.h"

#include <map>

namespace tilerig {

// Amounts of delays by their id, where the loader sets others than the program's.
using DelayAmounts = std::map<uint16_t, uint32_t>;

struct StageCosts {
  static constexpr uint32_t noTransfer = UINT32_MAX;
  struct Cost {
    uint64_t cycles = 0;            // of the step, or of what it waits for to arrive (a signal)
    uint32_t transfer = noTransfer; // index into `transfers`
  };

  StageThreads threads;                 // semaphores and barriers matched
  std::vector<std::vector<Cost>> costs; // by thread, then step
  std::vector<Transfer> transfers;

  const Cost &of(Event step) const { return costs[step.thread][step.ordinal - 1]; }
};

// Of a stage whose semaphores and barriers have been matched, whatever came of it.
StageCosts costsOf(StageThreads threads, const Program &program, const DelayAmounts &delays = {});
// The same from the beginning, of a program that is proved.
StageCosts costsOfStage(const Program &program, uint32_t stage, const DelayAmounts &delays = {});

} // namespace tilerig
