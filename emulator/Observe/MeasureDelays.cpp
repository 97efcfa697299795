#include "emulator/Observe/MeasureDelays.h"

#include <algorithm>
#include <limits>

namespace tilerig::emulator {

namespace {

// Index of the first step at or after index `from` that accesses memory; steps.size() if there is none.
uint32_t nextAccess(const std::vector<Step> &steps, uint32_t from) {
  while (from < steps.size() && !steps[from].accesses)
    ++from;
  return from;
}

} // namespace

void addDelays(const Program &program, const StageCosts &costs, const Timeline &timeline,
               std::vector<DelayStatistics> &delays) {
  const StageThreads &threads = costs.threads;
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
      continue;
    const unsigned tile = tileOfThread(thread);
    const auto &steps = threads.stepsOf(thread);
    for (uint32_t i = 0; i < steps.size(); ++i) {
      const auto *delay = std::get_if<Delay>(&code[tile][steps[i].instruction]);
      if (!delay || delay->engine != engineOfThread(thread))
        continue;
      DelayStatistics measured{.id = delay->id,
                               .stage = threads.stage,
                               .tile = tile,
                               .layer = delay->layer,
                               .cycles = costs.costs[thread][i].cycles};
      if (const uint32_t next = nextAccess(steps, i + 1);
          next < steps.size() && costs.costs[thread][next].transfer != StageCosts::noTransfer) {
        const TransferPhase &alone = costs.transfers[costs.costs[thread][next].transfer].read;
        const StepTime &time = timeline.steps[thread][next];
        const uint64_t taken = time.end - time.begin;
        measured.contentionCycles = taken > alone.cycles() ? taken - alone.cycles() : 0;
      }
      delays.push_back(measured);
    }
  }
}

DelayAmounts delaysFrom(const std::vector<DelayStatistics> &measured) {
  DelayAmounts amounts;
  for (const DelayStatistics &delay : measured) {
    const uint64_t sum = std::min<uint64_t>(delay.cycles + delay.contentionCycles,
                                            std::numeric_limits<DelayAmounts::mapped_type>::max());
    const auto [place, isNew] = amounts.emplace(delay.id, static_cast<uint32_t>(sum));
    if (!isNew)
      place->second = std::min(place->second, static_cast<uint32_t>(sum));
  }
  return amounts;
}

uint64_t contentHashOf(const Program &program) {
  return program.proof ? program.proof->content_hash() : hashContent(program);
}

} // namespace tilerig::emulator
