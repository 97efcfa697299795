#include "emulator/Observe/TimedRun.h"

#include "isa/Support/StartThreads.h"

namespace tilerig {

RunStatistics timeProgram(const Program &program, const TimedRunOptions &options) {
  RunStatistics statistics = countProgram(program);
  uint64_t now = 0;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    const uint64_t begin = now;
    if (const auto *host = std::get_if<proto::HostWork>(&program.stages[stage].work)) {
      now += costOfHost(program, *host).cycles;
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

Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, const TimedRunOptions &options) {
  const auto time = [&] { return timeProgram(session.program(), options); };
  auto clock = session.threads() > 1 ? startOne(time) : std::async(std::launch::deferred, time);
  TRY(TensorMap outputs, session.run(inputs));
  return TimedRun{std::move(outputs), clock.get()};
}

} // namespace tilerig
