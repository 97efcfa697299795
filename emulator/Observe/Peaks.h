// How uneven the load of a timed run is: transfers that share DDR at one time, and energy by window of time.
//
// The energy of an instruction (isa/Timing/Energy.h) is spread evenly over the cycles that it takes. Windows
// begin with their stage. It is a proxy for power: it compares two schedules, and is no prediction of a chip.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig {

struct PeakStatistics {
  static constexpr uint64_t windowCycles = 1000;

  uint32_t ddrTransfers = 0; // the most whose bytes pass DDR, or wait to, in one cycle
  double energy = 0;         // pJ, the most in one window
  double energyRise = 0;     // pJ, the most that a window has more than the one before; the first has it all
};

// Takes in an inference stage that began at that cycle.
void addPeaks(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              PeakStatistics &peaks);

} // namespace tilerig
