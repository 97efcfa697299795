#include "compiler/Tile/Emit/ForecastLayers.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

// The largest number of bytes allocated on a tile at any of the time steps first .. last.
uint64_t mostAlive(const std::vector<MemoryStretch> &stretches, uint32_t first, uint32_t last) {
  uint64_t most = 0;
  for (const MemoryStretch &stretch : stretches)
    if (stretch.from <= last && stretch.to >= first)
      most = std::max(most, stretch.bytes);
  return most;
}

} // namespace

uint64_t hostCycles(const NetworkLayer &layer, const Machine &machine) {
  return (layer.hostNanoseconds * machine.clockMegahertz + 999) / 1000;
}

std::vector<uint32_t> layersOf(const std::vector<ProgramPart> &parts) {
  std::vector<uint32_t> layers;
  for (const ProgramPart &part : parts)
    layers.push_back(part.host ? part.host->layer : layerOf(part.tasks.front().instruction));
  return layers;
}

std::vector<LayerForecast> forecastLayers(const DeviceNetwork &network, const TilePlan &plan,
                                          const std::vector<ProgramPart> &parts,
                                          std::span<const uint64_t> cycles, const Machine &machine) {
  std::vector<LayerForecast> forecasts(network.layers.size());
  std::vector<TaskList> tasks(network.layers.size());
  const std::vector<uint32_t> layers = layersOf(parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    LayerForecast &forecast = forecasts[layers[i]];
    forecast.runs = true;
    forecast.cycles += parts[i].host ? hostCycles(network.layers[layers[i]], machine) : cycles[i];
    TaskList &all = tasks[layers[i]];
    all.insert(all.end(), parts[i].tasks.begin(), parts[i].tasks.end());
  }
  for (size_t layer = 0; layer < forecasts.size(); ++layer)
    forecasts[layer].demand = demandOf(tasks[layer], machine, plan.tiles);
  const std::vector<MemoryStretch> stretches = bytesAlive(plan.memory);
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
        deviceOp && plan.deviceOps[i].numSteps > 0) {
      const OpPlan &its = plan.deviceOps[i];
      uint64_t &most = forecasts[deviceOp->layer].ocmBytes;
      most = std::max(most, mostAlive(stretches, its.firstTimeStep, its.lastTimeStep()));
    }
  return forecasts;
}

} // namespace tilerig::compiler
