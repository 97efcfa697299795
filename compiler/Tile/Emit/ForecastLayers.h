// Forecast of what every layer costs (cycles, resource demand, OCM bytes), derived from its tasks.
#pragma once

#include "compiler/Planning/Cost/Forecast.h"
#include "compiler/Tile/Emit/GenerateTasks.h"

namespace tilerig::compiler {

// One forecast for each layer of the network. `parts` are parts of the program that each run one layer, from
// separateLayers(). cycles[i] is the duration of the finished stage that was made from part i. For a part
// that runs on the host, cycles[i] is ignored, and the duration comes from hostCycles().
std::vector<LayerForecast> forecastLayers(const DeviceNetwork &network, const TilePlan &plan,
                                          const std::vector<ProgramPart> &parts,
                                          std::span<const uint64_t> cycles, const Machine &machine);

// Cycles that a layer takes on the host, in cycles of the device clock, rounded up.
uint64_t hostCycles(const NetworkLayer &layer, const Machine &machine);

// For each program part made by separateLayers(), the index of the layer that runs in it.
std::vector<uint32_t> layersOf(const std::vector<ProgramPart> &parts);

} // namespace tilerig::compiler
