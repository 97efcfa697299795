// What a run cost, by layer: cycles, multiplications, bytes by the way they took, energy, and who waited for
// what. What is counted follows from the program alone; only cycles, busy and stalled need a timeline.
#pragma once

#include "emulator/Host/Time.h"
#include "emulator/Observe/CriticalPath.h"
#include "emulator/Observe/MeasureDelays.h"
#include "emulator/Observe/Peaks.h"
#include "isa/Timeline/Timeline.h"
#include "isa/Timing/Energy.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig {

// What some instructions do, summed.
struct Tally {
  Macs macs;
  Traffic traffic;
  uint64_t hostBytes = 0; // over the host's link

  Tally &operator+=(const Tally &other);
};
Tally tallyOf(const Instruction &instruction, const Machine &machine, unsigned tile);
// The cycles that the multiplications take with all tiles of the program at their peak.
double peakCycles(const Macs &macs, const Program &program);
// The least cycles: these, or those of DDR at its full bandwidth.
uint64_t boundCycles(const Tally &tally, const Program &program);
// Which of the two that is: "multiplications" or "ddr"; empty where there is neither.
std::string_view boundOf(const Tally &tally, const Program &program);

struct LayerStatistics {
  // From the first to the last cycle in which a POD or PE worked for the layer, or a DMA engine where none of
  // these did, or the host. Layers overlap.
  uint64_t begin = UINT64_MAX, end = 0;
  bool onHost = false;
  Tally tally;
  std::array<uint64_t, numEngines> busy{};   // summed over tiles
  std::array<uint64_t, numStalls> stalled{}; // summed over tiles and engines

  uint64_t cycles() const { return end > begin ? end - begin : 0; }
};

struct PhaseStatistics {
  uint64_t cycles = 0;
  Tally tally;
};

struct StageStatistics {
  uint64_t begin = 0, cycles = 0;
};

// Layers and engines count the inference stages; what comes once, before or after, is told by phase only.
struct RunStatistics {
  bool isTimed = false;
  std::array<PhaseStatistics, 3> phases;
  std::vector<StageStatistics> stages; // timed
  std::vector<DelayStatistics> delays; // timed; in order of stage, tile, engine
  PeakStatistics peaks;                // timed
  std::vector<LayerStatistics> layers; // by the layer's number
  std::array<uint64_t, numEngines> busy{};
  std::array<std::array<uint64_t, numStalls>, numEngines> stalled{}; // summed over tiles
  CriticalPath criticalPath;                                         // of the inference stages

  uint64_t cycles() const { return phases[static_cast<size_t>(Phase::inference)].cycles; }
};

// Everything that needs no timeline, of all stages.
RunStatistics countProgram(const Program &program);
// The times of a stage, which began at that cycle.
void addTimes(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              RunStatistics &statistics);
void addHostTimes(const Program &program, uint32_t stage, uint64_t begin, uint64_t end,
                  RunStatistics &statistics);

nlohmann::ordered_json toJson(const RunStatistics &statistics, const Program &program);

} // namespace tilerig
