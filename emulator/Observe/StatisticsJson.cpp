// Run statistics as JSON. README.md documents the fields. Other tools read the fields, so fields may be
// added, but never renamed.
#include "emulator/Observe/Statistics.h"
#include "isa/Base/Support/Json.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

constexpr std::array phaseNames = {"initial", "inference", "finishing"};

// Returns a JSON object with an entry for each value of an enumeration except the first. The first value has
// no statistic: it is the sequencer among engines, and `none` among stall reasons.
template <class Enum, size_t size>
Json byName(const std::array<uint64_t, size> &values) {
  constexpr auto names = EnumNames<Enum>::values;
  Json object = Json::object();
  for (size_t i = 1; i < size; ++i)
    object[std::string(names[i])] = values[i];
  return object;
}

// A number of multiplications as a fraction of those that all tiles together can compute in the given number
// of cycles.
double utilisation(const Macs &macs, uint64_t cycles, const Program &program) {
  return cycles ? peakCycles(macs, program) / static_cast<double>(cycles) : 0;
}

void addTally(const Tally &tally, const Program &program, Json &object) {
  const Energy energy = energyOf(tally.macs, tally.traffic, program.machine);
  const Traffic &traffic = tally.traffic;
  object.update(
      {{"macs", tally.macs.sum()},
       {"bound_cycles", boundCycles(tally, program)},
       {"ddr_bytes", traffic.ddrReadBytes + traffic.ddrWriteBytes},
       {"ddr_read_bytes", traffic.ddrReadBytes},
       {"ddr_write_bytes", traffic.ddrWriteBytes},
       {"network_bytes", traffic.networkBytes},
       {"link_bytes", traffic.linkBytes},
       {"ocm_read_bytes", traffic.ocmReadBytes},
       {"ocm_write_bytes", traffic.ocmWriteBytes},
       {"host_bytes", tally.hostBytes},
       {"energy_pj", energy.sum()},
       {"energy_pj_by",
        {{"macs", energy.macs}, {"ocm", energy.sram}, {"ddr", energy.dram}, {"links", energy.wires}}}});
}

std::string nameOfLayer(size_t id, const Program &program) {
  const bool isNamed = static_cast<int>(id) < program.metadata.layers_size();
  return isNamed ? program.metadata.layers(static_cast<int>(id)).name() : std::to_string(id + 1);
}

Json layerJson(const RunStatistics &statistics, size_t id, const Program &program) {
  const LayerStatistics &layerStatistics = statistics.layers[id];
  const bool isNamed = static_cast<int>(id) < program.metadata.layers_size();
  const std::string_view boundBy = boundOf(layerStatistics.tally, program);
  Json layer = {{"name", nameOfLayer(id, program)},
                {"where", layerStatistics.onHost ? "host"
                          : isNamed              ? program.metadata.layers(static_cast<int>(id)).where()
                                                 : "accelerator"}};
  if (statistics.isTimed)
    layer.update(
        {{"cycles", layerStatistics.cycles()},
         {"begin", layerStatistics.cycles() ? layerStatistics.begin : 0},
         {"end", layerStatistics.end},
         {"utilisation", utilisation(layerStatistics.tally.macs, layerStatistics.cycles(), program)}});
  addTally(layerStatistics.tally, program, layer);
  layer["bound_by"] = boundBy.empty() ? Json() : Json(boundBy);
  if (statistics.isTimed) {
    const uint64_t bound = boundCycles(layerStatistics.tally, program);
    layer["lost_cycles"] = layerStatistics.cycles() > bound ? layerStatistics.cycles() - bound : 0;
    const auto share = statistics.criticalPath.find(static_cast<uint32_t>(id));
    const PathShare path = share == statistics.criticalPath.end() ? PathShare() : share->second;
    layer["critical_cycles"] = path.cycles;
    layer["critical_cycles_by"] = Json::object();
    for (size_t i = 0; i < pathWorkNames.size(); ++i)
      if (path.byWork[i] > 0)
        layer["critical_cycles_by"][std::string(pathWorkNames[i])] = path.byWork[i];
  }
  if (statistics.isTimed)
    layer.update({{"busy_cycles", byName<Engine>(layerStatistics.busy)},
                  {"stalled_cycles", byName<Stall>(layerStatistics.stalled)}});
  return layer;
}

// The share of each layer in the critical path, the largest share first.
Json criticalPathJson(const RunStatistics &statistics, const Program &program) {
  std::vector<std::pair<uint32_t, PathShare>> shares(statistics.criticalPath.begin(),
                                                     statistics.criticalPath.end());
  std::ranges::stable_sort(shares, std::greater<>(), [](const auto &entry) { return entry.second.cycles; });
  Json path = Json::array();
  for (const auto &[id, share] : shares)
    if (share.cycles > 0)
      path.push_back({{"name", nameOfLayer(id, program)}, {"cycles", share.cycles}, {"links", share.links}});
  return path;
}

Json stagesJson(const RunStatistics &statistics, const Program &program) {
  Json stages = Json::array();
  for (size_t i = 0; i < statistics.stages.size(); ++i) {
    const Stage &stage = program.stages[i];
    stages.push_back({{"name", stage.name},
                      {"phase", phaseNames[static_cast<size_t>(stage.phase)]},
                      {"where", std::holds_alternative<DeviceStage>(stage.work) ? "accelerator" : "host"},
                      {"begin", statistics.stages[i].begin},
                      {"cycles", statistics.stages[i].cycles}});
  }
  return stages;
}

Json delaysJson(const RunStatistics &statistics, const Program &program) {
  Json delays = Json::array();
  for (const DelayStatistics &delay : statistics.delays)
    delays.push_back({{"id", delay.id},
                      {"stage", delay.stage},
                      {"tile", delay.tile},
                      {"layer", nameOfLayer(delay.layer, program)},
                      {"cycles", delay.cycles},
                      {"contention_cycles", delay.contentionCycles}});
  return delays;
}

Json peaksJson(const PeakStatistics &peaks) {
  return {{"ddr_transfers", peaks.ddrTransfers},
          {"window_cycles", PeakStatistics::windowCycles},
          {"energy_pj", peaks.energy},
          {"energy_rise_pj", peaks.energyRise}};
}

} // namespace

Json toJson(const RunStatistics &statistics, const Program &program) {
  const PhaseStatistics &inference = statistics.phases[static_cast<size_t>(Phase::inference)];
  Json document, phases, engines, layers = Json::array();
  if (statistics.isTimed)
    document.update({{"cycles", inference.cycles},
                     {"utilisation", utilisation(inference.tally.macs, inference.cycles, program)}});
  addTally(inference.tally, program, document);
  for (size_t phase = 0; phase < phaseNames.size(); ++phase) {
    if (std::ranges::none_of(program.stages,
                             [&](const Stage &stage) { return static_cast<size_t>(stage.phase) == phase; }))
      continue;
    Json &object = phases[phaseNames[phase]];
    if (statistics.isTimed)
      object["cycles"] = statistics.phases[phase].cycles;
    addTally(statistics.phases[phase].tally, program, object);
  }
  document["phases"] = phases;
  for (size_t engine = 1; statistics.isTimed && engine < numEngines; ++engine)
    engines[std::string(EnumNames<Engine>::values[engine])] = {
        {"busy_cycles", statistics.busy[engine]},
        {"stalled_cycles", byName<Stall>(statistics.stalled[engine])}};
  if (statistics.isTimed) {
    document["engines"] = engines;
    document["stages"] = stagesJson(statistics, program);
    document["critical_path"] = criticalPathJson(statistics, program);
    document["peaks"] = peaksJson(statistics.peaks);
    if (!statistics.delays.empty())
      document.update({{"content_hash", fmt::format("{:016x}", contentHashOf(program))},
                       {"delays", delaysJson(statistics, program)}});
  }
  for (size_t id = 0; id < statistics.layers.size(); ++id)
    layers.push_back(layerJson(statistics, id, program));
  document["layers"] = layers;
  return document;
}

} // namespace tilerig::emulator
