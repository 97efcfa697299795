// Forecast of what every layer costs (cycles, demand, OCM bytes), derived from its tasks.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Cost/Forecast.h"

namespace tilerig::compiler {

// One forecast for each layer of the network. `parts` come from separateLayers(), and cycles[i] is the
// duration of the finished stage of part i. Entries of host parts are ignored: those cycles come from
// isa/Timing.
std::vector<LayerForecast> forecastLayers(const DeviceNetwork &network, const TilePlan &plan,
                                          const std::vector<ProgramPart> &parts,
                                          std::span<const uint64_t> cycles, const Machine &machine);

// Cycles that a layer takes on the host, in cycles of the device clock, rounded up.
uint64_t hostCycles(const NetworkLayer &layer, const Machine &machine);

// For each of these parts the index of its layer.
std::vector<uint32_t> layersOf(const std::vector<ProgramPart> &parts);

} // namespace tilerig::compiler
