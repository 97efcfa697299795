#include "emulator/Observe/Statistics.h"

#include "isa/Timing/Pod.h"

#include <nlohmann/json.hpp>

namespace tilerig {

namespace {

// Multiplications of a tile in a cycle, for the operands of an instruction.
uint64_t peakOf(const Instruction &instruction, const Machine &machine) {
  const auto rate = [&](ElementType type) {
    const PodRate &it = rateOf(type, machine.pod);
    return uint64_t{it.positions} * it.outputs * it.k;
  };
  if (const auto *matmul = std::get_if<Matmul>(&instruction))
    return rate(matmul->a.type);
  if (const auto *conv = std::get_if<Conv>(&instruction))
    return rate(conv->input.type);
  return 1;
}

LayerStatistics &layerOf(const Instruction &instruction, RunStatistics &statistics) {
  const uint32_t layer = tilerig::layerOf(instruction);
  if (statistics.layers.size() <= layer)
    statistics.layers.resize(layer + 1);
  return statistics.layers[layer];
}

bool computes(Engine engine) { return engine == Engine::pod || engine == Engine::pe; }

} // namespace

void addStage(const Program &program, const StageCosts &costs, const Timeline &timeline,
              RunStatistics &statistics) {
  const StageThreads &threads = costs.threads;
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds)
      continue;
    const auto engine = static_cast<size_t>(engineOfThread(thread));
    statistics.busy[engine] += timeline.busy[thread];
    for (size_t reason = 0; reason < numStalls; ++reason)
      statistics.stalled[engine][reason] += timeline.stalled[thread][reason];
    const auto &steps = threads.stepsOf(thread);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].accesses)
        continue;
      const unsigned tile = tileOfThread(thread);
      const Instruction &instruction = code[tile][steps[i].instruction];
      LayerStatistics &layer = layerOf(instruction, statistics);
      const StepTime &time = timeline.steps[thread][i];
      layer.busy[engine] += time.end - time.begin;
      if (computes(engineOfThread(thread))) {
        layer.begin = std::min(layer.begin, time.begin);
        layer.end = std::max(layer.end, time.end);
      }
      if (isDmaWrite(kindOf(thread)))
        continue; // counted with its read phase
      layer.macs += macsOf(instruction);
      layer.boundCycles += macsOf(instruction) / peakOf(instruction, program.machine);
      layer.traffic += trafficOf(instruction, program.machine, tile);
    }
  }
  statistics.cycles = std::max(statistics.cycles, timeline.end);
}

void finishStatistics(const Program &program, RunStatistics &statistics) {
  for (LayerStatistics &layer : statistics.layers) {
    const uint64_t bytes = layer.traffic.ddrReadBytes + layer.traffic.ddrWriteBytes;
    // So far the multiplications, as if a single tile did them at its peak.
    layer.boundCycles = std::max(layer.boundCycles / program.tiles,
                                 bytes * 1000 / program.machine.ddr.totalBytesPer1000Cycles);
  }
}

nlohmann::ordered_json toJson(const RunStatistics &statistics, const Program &program) {
  constexpr auto engineNames = EnumNames<Engine>::values;
  constexpr auto stallNames = EnumNames<Stall>::values;
  nlohmann::ordered_json engines, layers = nlohmann::ordered_json::array();
  for (size_t engine = 1; engine < numEngines; ++engine) {
    nlohmann::ordered_json stalled;
    for (size_t reason = 1; reason < numStalls; ++reason)
      stalled[std::string(stallNames[reason])] = statistics.stalled[engine][reason];
    engines[std::string(engineNames[engine])] = {{"busy_cycles", statistics.busy[engine]},
                                                 {"stalled_cycles", stalled}};
  }
  for (size_t id = 0; id < statistics.layers.size(); ++id) {
    const LayerStatistics &it = statistics.layers[id];
    const bool isNamed = static_cast<int>(id) < program.metadata.layers_size();
    nlohmann::ordered_json busy;
    for (size_t engine = 1; engine < numEngines; ++engine)
      busy[std::string(engineNames[engine])] = it.busy[engine];
    layers.push_back(
        {{"name", isNamed ? program.metadata.layers(static_cast<int>(id)).name() : std::to_string(id)},
         {"cycles", it.cycles()},
         {"begin", it.cycles() ? it.begin : 0},
         {"end", it.end},
         {"macs", it.macs},
         {"bound_cycles", it.boundCycles},
         {"ddr_bytes", it.traffic.ddrReadBytes + it.traffic.ddrWriteBytes},
         {"network_bytes", it.traffic.networkBytes},
         {"link_bytes", it.traffic.linkBytes},
         {"ocm_read_bytes", it.traffic.ocmReadBytes},
         {"ocm_write_bytes", it.traffic.ocmWriteBytes},
         {"busy_cycles", busy}});
  }
  return {{"cycles", statistics.cycles}, {"engines", engines}, {"layers", layers}};
}

} // namespace tilerig
