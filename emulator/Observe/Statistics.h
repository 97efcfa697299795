// What a run cost, by layer: cycles, multiplications, bytes by the way they took, and who waited for what.
#pragma once

#include "emulator/Timed/Timeline.h"
#include "isa/Timing/Traffic.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig {

struct LayerStatistics {
  // From the first to the last cycle in which a POD or PE worked for the layer, or a DMA engine where none of
  // these did. Layers overlap.
  uint64_t begin = UINT64_MAX, end = 0;
  uint64_t macs = 0, boundCycles = 0;
  Traffic traffic;
  std::array<uint64_t, numEngines> busy{}; // summed over tiles

  uint64_t cycles() const { return end > begin ? end - begin : 0; }
};

struct RunStatistics {
  uint64_t cycles = 0;
  std::vector<LayerStatistics> layers; // by the layer's number
  std::array<uint64_t, numEngines> busy{};
  std::array<std::array<uint64_t, numStalls>, numEngines> stalled{}; // summed over tiles
};

// Adds a stage to what is there.
void addStage(const Program &program, const StageCosts &costs, const Timeline &timeline,
              RunStatistics &statistics);
// When all stages are there: the bounds.
void finishStatistics(const Program &program, RunStatistics &statistics);

nlohmann::ordered_json toJson(const RunStatistics &statistics, const Program &program);

} // namespace tilerig
