// Peak load of a timed run: the number of transfers that use DDR at the same time, and the energy per time
// window. The energy of an instruction (isa/Timing/Energy.h) is spread evenly over its cycles. Windows are
// counted from the beginning of their stage. The energy per window can be used to compare two schedules; it
// does not predict the power of a chip.
#pragma once

#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

struct PeakStatistics {
  static constexpr uint64_t windowCycles = 1000;

  uint32_t ddrTransfers = 0; // maximum number of transfers that use or wait for DDR in one cycle
  // Maximum energy in one time window, in pJ.
  double energy = 0;
  // Maximum increase of the energy from one time window to the next, in pJ; the energy before the first
  // window counts as 0.
  double energyRise = 0;
};

// Updates `peaks` with the load of an inference stage that began at cycle `begin`.
void addPeaks(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              PeakStatistics &peaks);

} // namespace tilerig::emulator
