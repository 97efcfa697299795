// What is expected of every layer of a network, from its tasks.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Cost/Forecast.h"

namespace tilerig {

// By layer. `parts` are those of separateLayers, and `cycles` what the finished stage of each takes; for a
// part of the host whatever it says is overwritten by what isa/Timing knows.
std::vector<LayerForecast> forecastLayers(const DeviceNetwork &network, const TilePlan &plan,
                                          const std::vector<ProgramPart> &parts,
                                          std::span<const uint64_t> cycles, const Machine &machine);

// Of a layer of the host.
uint64_t hostCycles(const NetworkLayer &layer, const Machine &machine);

// The layer that each of those parts is of.
std::vector<uint32_t> layersOf(const std::vector<ProgramPart> &parts);

} // namespace tilerig
