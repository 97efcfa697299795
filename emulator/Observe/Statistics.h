// Statistics of a run, by layer: cycles, multiplications, bytes by the resource they used, energy, and stalls
// by cause. All counts follow from the program alone; only cycles, busy and stall times need a timeline.
#pragma once

#include "emulator/Host/Time.h"
#include "emulator/Observe/CriticalPath.h"
#include "emulator/Observe/MeasureDelays.h"
#include "emulator/Observe/Peaks.h"
#include "isa/Timeline/Timeline.h"
#include "isa/Timing/Energy.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig::emulator {

// Counters summed over a number of instructions.
struct Tally {
  Macs macs;
  Traffic traffic;
  uint64_t hostBytes = 0; // bytes that cross the host's link

  Tally &operator+=(const Tally &other);
};
Tally tallyOf(const Instruction &instruction, const Machine &machine, unsigned tile);
// Cycles that the multiplications take if all tiles of the program work at peak rate.
double peakCycles(const Macs &macs, const Program &program);
// Lower bound of the cycles that the counted work takes: the larger of peakCycles() and the time of the DDR
// traffic at full bandwidth.
uint64_t boundCycles(const Tally &tally, const Program &program);
// Name of the larger term of boundCycles(), "multiplications" or "ddr"; empty if both terms are zero.
std::string_view boundOf(const Tally &tally, const Program &program);

struct LayerStatistics {
  // Time from the first to the last cycle in which a POD (matrix engine) or PE (vector engine) worked for the
  // layer. If none did, the DMA engines and the host are considered instead. The times of layers may overlap.
  uint64_t begin = UINT64_MAX, end = 0;
  bool onHost = false;
  Tally tally;
  // Cycles in which each kind of engine worked for the layer, summed over tiles.
  std::array<uint64_t, numEngines> busy{};
  std::array<uint64_t, numStalls> stalled{}; // idle cycles by cause, summed over tiles and engines

  uint64_t cycles() const { return end > begin ? end - begin : 0; }
};

struct PhaseStatistics {
  uint64_t cycles = 0;
  Tally tally;
};

struct StageStatistics {
  uint64_t begin = 0, cycles = 0;
};

// Statistics of a run. Those of layers and engines cover the inference stages only. The cycles of initial and
// finishing stages are listed in `phases`.
struct RunStatistics {
  bool isTimed = false;
  std::array<PhaseStatistics, 3> phases;
  std::vector<StageStatistics> stages; // timed runs only
  // delay instructions in order of stage, tile and engine; only for timed runs
  std::vector<DelayStatistics> delays;
  PeakStatistics peaks;                // timed runs only
  std::vector<LayerStatistics> layers; // by layer index
  std::array<uint64_t, numEngines> busy{};
  // Idle cycles by engine and cause, summed over tiles.
  std::array<std::array<uint64_t, numStalls>, numEngines> stalled{};
  CriticalPath criticalPath; // critical path of the inference stages

  uint64_t cycles() const { return phases[static_cast<size_t>(Phase::inference)].cycles; }
};

// Computes those statistics of all stages that need no timeline: the counts.
RunStatistics countProgram(const Program &program);
// Adds the times of a device stage, which began at cycle `begin`, to `statistics`.
void addTimes(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              RunStatistics &statistics);
void addHostTimes(const Program &program, uint32_t stage, uint64_t begin, uint64_t end,
                  RunStatistics &statistics);

nlohmann::ordered_json toJson(const RunStatistics &statistics, const Program &program);

} // namespace tilerig::emulator
