#include "emulator/Observe/Statistics.h"

#include "isa/Timing/Pod.h"

#include <algorithm>
#include <optional>

namespace tilerig::emulator {

namespace {

Tally tallyOf(const HostCost &cost) {
  Tally tally;
  tally.traffic.ddrReadBytes = cost.bytesIn;
  tally.traffic.ddrWriteBytes = cost.bytesOut;
  tally.hostBytes = cost.bytesIn + cost.bytesOut;
  return tally;
}

LayerStatistics &layerAt(uint32_t layer, RunStatistics &statistics) {
  if (statistics.layers.size() <= layer)
    statistics.layers.resize(layer + 1);
  return statistics.layers[layer];
}

bool computes(Engine engine) { return engine == Engine::pod || engine == Engine::pe; }

} // namespace

Tally &Tally::operator+=(const Tally &other) {
  macs.bits8 += other.macs.bits8;
  macs.bits16 += other.macs.bits16;
  macs.bits32 += other.macs.bits32;
  traffic += other.traffic;
  hostBytes += other.hostBytes;
  return *this;
}

Tally tallyOf(const Instruction &instruction, const Machine &machine, unsigned tile) {
  Tally tally;
  tally.traffic = trafficOf(instruction, machine, tile);
  if (const auto type = multipliedType(instruction)) {
    const uint64_t macs = macsOf(instruction);
    (sizeBytes(*type) == 1   ? tally.macs.bits8
     : sizeBytes(*type) == 2 ? tally.macs.bits16
                             : tally.macs.bits32) = macs;
  }
  return tally;
}

double peakCycles(const Macs &macs, const Program &program) {
  const auto cycles = [&](uint64_t count, const PodRate &rate) {
    return static_cast<double>(count) / (double{1} * rate.positions * rate.outputs * rate.k * program.tiles);
  };
  const PodFigures &pod = program.machine.pod;
  return cycles(macs.bits8, pod.int8) + cycles(macs.bits16, pod.half) + cycles(macs.bits32, pod.single);
}

static uint64_t ddrCycles(const Tally &tally, const Program &program) {
  const uint64_t bytes = tally.traffic.ddrReadBytes + tally.traffic.ddrWriteBytes;
  return bytes * 1000 / program.machine.ddr.totalBytesPer1000Cycles;
}

uint64_t boundCycles(const Tally &tally, const Program &program) {
  return std::max(static_cast<uint64_t>(peakCycles(tally.macs, program)), ddrCycles(tally, program));
}

std::string_view boundOf(const Tally &tally, const Program &program) {
  if (boundCycles(tally, program) == 0)
    return "";
  return boundCycles(tally, program) > ddrCycles(tally, program) ? "multiplications" : "ddr";
}

RunStatistics countProgram(const Program &program) {
  RunStatistics statistics;
  statistics.layers.resize(static_cast<size_t>(program.metadata.layers_size()));
  for (size_t index = 0; index < program.stages.size(); ++index) {
    const Stage &stage = program.stages[index];
    const auto add = [&](const Tally &tally, uint32_t layer) {
      statistics.phases[static_cast<size_t>(stage.phase)].tally += tally;
      if (stage.phase == Phase::inference)
        layerAt(layer, statistics).tally += tally;
    };
    if (const auto *host = std::get_if<proto::HostWork>(&stage.work)) {
      add(tallyOf(costOfHost(program, index)), host->layer());
      layerAt(host->layer(), statistics).onHost = true;
      continue;
    }
    const auto &tiles = std::get<DeviceStage>(stage.work).tiles;
    for (unsigned tile = 0; tile < tiles.size(); ++tile)
      for (const Instruction &instruction : tiles[tile])
        add(tallyOf(instruction, program.machine, tile), layerOf(instruction));
  }
  return statistics;
}

void addTimes(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              RunStatistics &statistics) {
  const StageThreads &threads = costs.threads;
  const Stage &stage = program.stages[threads.stage];
  statistics.isTimed = true;
  statistics.phases[static_cast<size_t>(stage.phase)].cycles += timeline.end - begin;
  if (stage.phase != Phase::inference)
    return;
  addCriticalPath(program, costs, timeline, begin, statistics.criticalPath);
  for (const auto &[layer, stalled] : timeline.layerStalled)
    for (size_t reason = 0; reason < numStalls; ++reason)
      layerAt(layer, statistics).stalled[reason] += stalled[reason];
  addPeaks(program, costs, timeline, begin, statistics.peaks);
  addDelays(program, costs, timeline, statistics.delays);
  const auto &code = std::get<DeviceStage>(stage.work).tiles;
  // First and last cycle in which a DMA engine works for a layer, by index of the layer.
  std::vector<ByteRange> transfers;
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
      const uint32_t id = layerOf(code[tileOfThread(thread)][steps[i].instruction]);
      const StepTime &time = timeline.steps[thread][i];
      LayerStatistics &layer = layerAt(id, statistics);
      layer.busy[engine] += time.end - time.begin;
      if (computes(static_cast<Engine>(engine))) {
        layer.begin = std::min(layer.begin, time.begin);
        layer.end = std::max(layer.end, time.end);
        continue;
      }
      if (transfers.size() <= id)
        transfers.resize(id + 1, {UINT64_MAX, 0});
      transfers[id] = {std::min(transfers[id].begin, time.begin), std::max(transfers[id].end, time.end)};
    }
  }
  for (size_t layer = 0; layer < transfers.size(); ++layer)
    if (LayerStatistics &layerStatistics = statistics.layers[layer];
        layerStatistics.cycles() == 0 && transfers[layer].end > 0) {
      layerStatistics.begin = transfers[layer].begin;
      layerStatistics.end = transfers[layer].end;
    }
}

void addHostTimes(const Program &program, uint32_t stage, uint64_t begin, uint64_t end,
                  RunStatistics &statistics) {
  statistics.isTimed = true;
  statistics.phases[static_cast<size_t>(program.stages[stage].phase)].cycles += end - begin;
  if (program.stages[stage].phase != Phase::inference)
    return;
  const uint32_t id = std::get<proto::HostWork>(program.stages[stage].work).layer();
  statistics.criticalPath[id].add(PathWork::host, end - begin);
  LayerStatistics &layer = layerAt(id, statistics);
  layer.begin = std::min(layer.begin, begin);
  layer.end = std::max(layer.end, end);
}

} // namespace tilerig::emulator
