// The costs of all steps of a device stage, computed once from the formulas of isa/Timing and indexed by
// thread and step. A thread is the sequence of steps of a tile's sequencer or of one of its engines; a DMA
// engine has two threads, one that reads and one that writes.
#pragma once

#include "isa/Order/Threads.h"
#include "isa/Timing/Dma.h"

#include <map>

namespace tilerig {

// The cycles that the loader sets for `delay` instructions in place of those in the program, by the id of the
// instruction.
using DelayAmounts = std::map<uint16_t, uint32_t>;

struct StageCosts {
  static constexpr uint32_t noTransfer = UINT32_MAX;
  struct Cost {
    // latency of the step; for a signal instruction, the time until the signal reaches the semaphore
    uint64_t cycles = 0;
    // index into the list of transfers, or noTransfer if the step is no DMA transfer
    uint32_t transfer = noTransfer;
  };

  // Steps of the stage by thread, with every wait matched to its signal and every barrier to its arrivals.
  StageThreads threads;
  std::vector<std::vector<Cost>> costs; // cost of each step, indexed by thread, then step
  std::vector<Transfer> transfers;

  const Cost &of(Event step) const { return costs[step.thread][step.ordinal - 1]; }
};

// The costs of a stage whose semaphores and barriers have been matched, whether or not the matching found
// problems.
StageCosts costsOf(StageThreads threads, const Program &program, const DelayAmounts &delays = {});
// Like costsOf(), but first splits the stage into threads of steps and matches their semaphores and barriers.
// For programs in which the analyser found no problem.
StageCosts costsOfStage(const Program &program, uint32_t stage, const DelayAmounts &delays = {});

} // namespace tilerig
