#include "emulator/Observe/Peaks.h"

#include "emulator/Observe/Statistics.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

// Maximum number of intervals that overlap in a cycle.
uint32_t mostAtOnce(const std::vector<StepTime> &times) {
  std::vector<uint64_t> begins, ends;
  for (const StepTime &time : times)
    if (time.end > time.begin) {
      begins.push_back(time.begin);
      ends.push_back(time.end);
    }
  std::ranges::sort(begins);
  std::ranges::sort(ends);
  size_t most = 0, ended = 0;
  for (size_t begun = 0; begun < begins.size(); ++begun) {
    while (ends[ended] <= begins[begun])
      ++ended;
    most = std::max(most, begun + 1 - ended);
  }
  return static_cast<uint32_t>(most);
}

// The energy of a stage in each time window.
class Windows {
public:
  explicit Windows(uint64_t begin) : stageBegin(begin) {}

  // Spreads the energy of an instruction evenly over its cycles. An instruction of zero cycles counts in the
  // cycle at which it occurs.
  void add(StepTime time, double energy) {
    uint64_t from = time.begin - stageBegin;
    const uint64_t to = std::max(time.end - stageBegin, from + 1);
    const double each = energy / static_cast<double>(to - from);
    if (windows.size() <= (to - 1) / size)
      windows.resize((to - 1) / size + 1);
    while (from < to) {
      const uint64_t end = std::min(to, (from / size + 1) * size);
      windows[from / size] += each * static_cast<double>(end - from);
      from = end;
    }
  }
  void addTo(PeakStatistics &peaks) const {
    double before = 0;
    for (const double energy : windows) {
      peaks.energy = std::max(peaks.energy, energy);
      peaks.energyRise = std::max(peaks.energyRise, energy - before);
      before = energy;
    }
  }

private:
  static constexpr uint64_t size = PeakStatistics::windowCycles;

  uint64_t stageBegin;
  std::vector<double> windows;
};

} // namespace

void addPeaks(const Program &program, const StageCosts &costs, const Timeline &timeline, uint64_t begin,
              PeakStatistics &peaks) {
  const StageThreads &threads = costs.threads;
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  std::vector<StepTime> ddr;
  Windows windows(begin);
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds)
      continue;
    const ThreadKind kind = kindOf(thread);
    const unsigned tile = tileOfThread(thread);
    const auto &steps = threads.stepsOf(thread);
    for (uint32_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].accesses)
        continue;
      StepTime time = timeline.steps[thread][i];
      if (const uint32_t index = costs.costs[thread][i].transfer; index != StageCosts::noTransfer) {
        const Transfer &transfer = costs.transfers[index];
        const TransferPhase &phase = isDmaWrite(kind) ? transfer.write : transfer.read;
        if (phase.ddrPorts != 0)
          ddr.push_back({std::min(time.begin + phase.latencyCycles, time.end), time.end});
        if (isDmaWrite(kind)) // a transfer's energy is counted in its read phase
          continue;
        time.end = timeline.steps[thread + 1][i].end;
      }
      const Tally tally = tallyOf(code[tile][steps[i].instruction], program.machine, tile);
      windows.add(time, energyOf(tally.macs, tally.traffic, program.machine).sum());
    }
  }
  peaks.ddrTransfers = std::max(peaks.ddrTransfers, mostAtOnce(ddr));
  windows.addTo(peaks);
}

} // namespace tilerig::emulator
