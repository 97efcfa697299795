#include "isa/Timeline/Costs.h"

#include "isa/Order/Barriers.h"
#include "isa/Order/Report.h"
#include "isa/Order/Semaphores.h"
#include "isa/Timing/Latency.h"

namespace tilerig {

namespace {

class CostReader {
public:
  CostReader(StageCosts &costs, const Machine &machine, unsigned tile, const DelayAmounts &delays)
      : stage(costs), machine(machine), tile(tile), delays(delays) {}

  template <class T>
  StageCosts::Cost of(const T &instruction) {
    if constexpr (requires { transferOf(instruction, machine, tile); }) {
      stage.transfers.push_back(transferOf(instruction, machine, tile));
      return {0, static_cast<uint32_t>(stage.transfers.size() - 1)};
    } else {
      return {latencyCycles(Instruction(instruction), machine, tile), StageCosts::noTransfer};
    }
  }
  StageCosts::Cost of(const Delay &delay) {
    const auto amount = delays.find(delay.id);
    return {amount == delays.end() ? delay.cycles : amount->second, StageCosts::noTransfer};
  }

private:
  StageCosts &stage;
  const Machine &machine;
  unsigned tile;
  const DelayAmounts &delays;
};

} // namespace

StageCosts costsOfStage(const Program &program, uint32_t stage, const DelayAmounts &delays) {
  // The report stays empty: the analyser has found that all semaphores and barriers of the program match.
  Report report(0);
  StageThreads threads = layOutStage(program, stage, true);
  matchSemaphores(program, threads, report);
  matchBarriers(program, threads, report);
  return costsOf(std::move(threads), program, delays);
}

StageCosts costsOf(StageThreads threads, const Program &program, const DelayAmounts &delays) {
  StageCosts result;
  result.threads = std::move(threads);
  result.costs.resize(result.threads.numThreads());
  const auto &tiles = std::get<DeviceStage>(program.stages[result.threads.stage].work).tiles;
  for (unsigned tile = 0; tile < tiles.size(); ++tile) {
    CostReader reader(result, program.machine, tile, delays);
    for (unsigned kind = 0; kind < numThreadKinds; ++kind) {
      const ThreadId thread = threadOf(tile, static_cast<ThreadKind>(kind));
      auto &costs = result.costs[thread];
      // The write thread has the costs of the read thread: both phases of a transfer belong to the same
      // instruction.
      if (isDmaWrite(kindOf(thread))) {
        costs = result.costs[readerOf(thread)];
        continue;
      }
      for (const Step &step : result.threads.stepsOf(thread)) {
        const Instruction &instruction = tiles[tile][step.instruction];
        // The sequencer takes no time to issue an instruction of another engine.
        const bool isOwn = engineOf(instruction) == engineOfThread(thread);
        costs.push_back(isOwn ? std::visit([&](const auto &typed) { return reader.of(typed); }, instruction)
                              : StageCosts::Cost());
      }
    }
  }
  return result;
}

} // namespace tilerig
