#include "emulator/Tools/RunBeats.h"

#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"
#include "emulator/Tools/RunCaptures.h"
#include "emulator/Tools/RunFaults.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorFiles.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <iostream>

namespace tilerig::emulator {

namespace {

RunStatistics statisticsOf(const BeatsRun &run, const Program &program) {
  RunStatistics statistics = countProgram(program);
  for (const TimedStage &stage : run.stages)
    if (stage.timeline)
      addTimes(program, *stage.costs, *stage.timeline, stage.begin, statistics);
    else
      addHostTimes(program, stage.index, stage.begin, stage.end, statistics);
  return statistics;
}

Status writeTrace(const BeatsRun &run, const Program &program, const std::string &path) {
  TraceWriter trace(program);
  for (const TimedStage &stage : run.stages)
    if (stage.timeline)
      trace.addStage(*stage.costs, *stage.timeline);
    else
      trace.addHostStage(std::get<proto::HostWork>(program.stages[stage.index].work), stage.begin, stage.end);
  return writeText(path, std::move(trace).finish());
}

} // namespace

Result<ExitCode> runByBeats(Program program, Defects defects, const TensorMap &inputs,
                            const BeatsRequest &request) {
  ReferenceFramework framework(1);
  TILERIG_TRY(auto session,
              BeatsSession::load(std::move(program), std::move(defects), request.observation, &framework));
  const Program &loaded = session->program();
  BeatsRun run;
  std::vector<double> wall;
  for (unsigned i = 0; i < request.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    TILERIG_TRY(run, session->run(inputs, request.options));
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(wall);
  const double median = wall[wall.size() / 2];

  if (!request.outputs.empty() && run.ended)
    TILERIG_CHECK_OK(writeTensors(request.outputs, run.outputs));
  if (!request.captureTo.empty() && run.ended) {
    TILERIG_TRY(const TensorMap captured,
                session->capturePoints().capturedAsModel(loaded, request.captureTypes));
    TILERIG_CHECK_OK(writeTensors(request.captureTo, captured));
  }
  if (!request.trace.empty())
    TILERIG_CHECK_OK(writeTrace(run, loaded, request.trace));
  // If a fault ended the run, cycle counts are meaningless and left out; the trace shows how far each engine
  // came.
  nlohmann::ordered_json document = {
      {"mode", "timed"},   {"beats", request.why},     {"machine", loaded.machine.name},
      {"threads", 1},      {"repeat", request.repeat}, {"wall_ms", median},
      {"ended", run.ended}};
  RunStatistics statistics;
  if (run.ended) {
    statistics = statisticsOf(run, loaded);
    document.update(toJson(statistics, loaded));
  }
  addFaults(run.faults, loaded, document);
  if (!session->capturePoints().missing.empty())
    document["not_captured"] = session->capturePoints().missing;
  if (!request.stats.empty())
    TILERIG_CHECK_OK(writeText(request.stats, document.dump(2) + "\n"));
  const ExitCode code = run.faults.empty() ? ExitCode::done : ExitCode::input;
  if (request.json) {
    std::cout << document.dump(2) << "\n";
    return code;
  }
  printFaults(run.faults, loaded);
  std::cout << fmt::format("{}: simulated row by row, because {}: {:.2f} ms", request.program, request.why,
                           median);
  if (run.ended)
    std::cout << fmt::format(", {} cycles ({:.3f} ms at {} MHz)\n", statistics.cycles(),
                             static_cast<double>(statistics.cycles()) / loaded.machine.clockMegahertz * 1e-3,
                             loaded.machine.clockMegahertz);
  else
    std::cout << fmt::format("; a fault ended the run, so there are no outputs\n");
  if (run.ended)
    printCaptures(request.captureTo, session->capturePoints().captured.size(), request.captureTypes,
                  session->capturePoints().missing);
  return code;
}

} // namespace tilerig::emulator
