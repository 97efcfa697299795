#include "verify/Check/Clock.h"

#include "emulator/Observe/TimedRun.h"

namespace tilerig::verify {

Json clockOf(const Program &program, const emulator::HostOperations &hostOperations,
             std::optional<uint64_t> jitter) {
  return emulator::toJson(
      emulator::timeProgram(program, {.delays = {}, .jitter = jitter, .hostOperations = hostOperations}),
      program);
}

void addAlone(const LayersAlone &alone, Json &clock) {
  const emulator::RunStatistics statistics = emulator::timeProgram(alone.program, {});
  std::vector<uint64_t> cycles(clock["layers"].size());
  for (size_t stage = 0; stage < alone.stageLayers.size(); ++stage)
    if (const uint32_t layer = alone.stageLayers[stage]; layer < cycles.size())
      cycles[layer] += statistics.stages[stage].cycles;
  for (size_t layer = 0; layer < cycles.size(); ++layer)
    clock["layers"][layer]["alone_cycles"] = cycles[layer];
}

} // namespace tilerig::verify
