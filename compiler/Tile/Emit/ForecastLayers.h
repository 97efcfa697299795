// Forecast of what every layer costs (cycles, resource demand, OCM bytes), derived from its tasks.
#pragma once

#include "compiler/Planning/Cost/Forecast.h"
#include "compiler/Tile/Emit/GenerateTasks.h"

namespace tilerig::compiler {

// One forecast for each layer of the network. `parts` come from separateLayers(), and each runs a single
// layer. cycles[i] is the duration of the stage that was made from part i. For a part that runs on the host,
// cycles[i] is ignored, and hostCycles() gives the duration.
std::vector<LayerForecast> forecastLayers(const DeviceNetwork &network, const TilePlan &plan,
                                          const std::vector<ProgramPart> &parts,
                                          std::span<const uint64_t> cycles, const Machine &machine);

// How long a layer takes on the host, in cycles of the device clock, rounded up.
uint64_t hostCycles(const NetworkLayer &layer, const Machine &machine);

// For each program part made by separateLayers(), the index of the layer that runs in it.
std::vector<uint32_t> layersOf(const std::vector<ProgramPart> &parts);

} // namespace tilerig::compiler
