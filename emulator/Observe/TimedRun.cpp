#include "emulator/Observe/TimedRun.h"

#include "isa/Base/Support/StartThreads.h"

namespace tilerig::emulator {

RunStatistics timeProgram(const Program &program, const TimedRunOptions &options) {
  RunStatistics statistics = countProgram(program);
  uint64_t now = 0;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    const uint64_t begin = now;
    if (const auto *host = std::get_if<proto::HostWork>(&program.stages[stage].work)) {
      const bool hasRun = stage < options.hostOperations.size();
      now += costOfHost(program, stage, hasRun ? options.hostOperations[stage] : std::optional<uint64_t>())
                 .cycles;
      addHostTimes(program, stage, begin, now, statistics);
      if (options.trace)
        options.trace->addHostStage(*host, begin, now);
      statistics.stages.push_back({begin, now - begin});
      continue;
    }
    const StageCosts costs = costsOfStage(program, stage, options.delays);
    const Timeline timeline = timeStage(costs, program, {begin, options.jitter});
    now = timeline.end;
    addTimes(program, costs, timeline, begin, statistics);
    statistics.stages.push_back({begin, now - begin});
    if (options.trace)
      options.trace->addStage(costs, timeline);
  }
  return statistics;
}

Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, TimedRunOptions options) {
  const bool isAlone = session.threads() == 1 || timeDependsOnValues(session.program());
  const auto time = [&] { return timeProgram(session.program(), options); };
  auto clock = isAlone ? std::async(std::launch::deferred, time) : startOne(time);
  TILERIG_TRY(TensorMap outputs, session.run(inputs));
  if (isAlone)
    options.hostOperations = session.hostOperations();
  return TimedRun{std::move(outputs), clock.get()};
}

} // namespace tilerig::emulator
