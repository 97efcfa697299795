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

TimedRuns::TimedRuns(Session &session, TimedRunOptions options)
    : session(session), options(std::move(options)), dependsOnValues(timeDependsOnValues(session.program())) {
}

Result<TimedRun> TimedRuns::run(const TensorMap &inputs) {
  const auto time = [&] { return timeProgram(session.program(), options); };
  const bool isParallel = !known && !dependsOnValues && session.threads() > 1;
  auto clock = isParallel ? startOne(time) : std::async(std::launch::deferred, time);
  TILERIG_TRY(TensorMap outputs, session.run(inputs));
  if (dependsOnValues && options.hostOperations != session.hostOperations()) {
    options.hostOperations = session.hostOperations();
    known.reset();
  }
  if (!known)
    known = clock.get();
  return TimedRun{std::move(outputs), *known};
}

Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, TimedRunOptions options) {
  return TimedRuns(session, std::move(options)).run(inputs);
}

} // namespace tilerig::emulator
