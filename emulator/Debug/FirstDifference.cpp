#include "emulator/Debug/FirstDifference.h"

#include "emulator/Beats/BeatsSession.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/StartThreads.h"

#include <algorithm>
#include <future>

namespace tilerig::emulator {

namespace {

// The tensors of a run, and the times of its stages.
struct SeenRun {
  TensorMap tensors;
  std::deque<TimedStage> stages;
};

// The times of all stages. `operations` are those that the host computed, by stage.
std::deque<TimedStage> timesOf(const DifferenceSearch &search, const HostOperations &operations) {
  std::deque<TimedStage> stages;
  uint64_t cycle = 0;
  for (uint32_t index = 0; index < search.program.stages.size(); ++index) {
    TimedStage &stage = stages.emplace_back(TimedStage{index, cycle, cycle});
    if (std::holds_alternative<DeviceStage>(search.program.stages[index].work)) {
      stage.costs = costsOfStage(search.program, index);
      stage.timeline =
          timeStage(*stage.costs, search.program, {.begin = cycle, .jitter = search.options.jitter});
      stage.end = stage.timeline->end;
    } else {
      stage.end = cycle + costOfHost(search.program, index, operations[index]).cycles;
    }
    cycle = stage.end;
  }
  return stages;
}

Result<SeenRun> runProved(const DifferenceSearch &search, Observation observation) {
  const std::shared_ptr<const Program> borrowed(&search.program, [](const Program *) {});
  // Times that do not depend on values are computed meanwhile.
  std::future<std::deque<TimedStage>> times;
  if (!timeDependsOnValues(search.program))
    times = startOne([&] { return timesOf(search, HostOperations(search.program.stages.size())); });
  // No copies are left out: to find out which can be would take longer than to make them.
  TILERIG_TRY(auto session, Session::load(borrowed, {.literal = true,
                                                     .observation = std::move(observation),
                                                     .defects = search.defects,
                                                     .framework = search.framework}));
  auto outputs = session->run(search.inputs);
  if (!outputs)
    return session->fault() ? errorOf(*session->fault(), search.program) : std::move(outputs).error();
  return SeenRun{session->captured(),
                 times.valid() ? times.get() : timesOf(search, session->hostOperations())};
}

Result<SeenRun> runByBeats(const DifferenceSearch &search, const Observation &observation) {
  TILERIG_TRY(auto session,
              BeatsSession::load(search.program, search.defects, observation, search.framework));
  TILERIG_TRY(BeatsRun run, session->run(search.inputs, search.options));
  if (!run.ended && !run.faults.empty())
    return errorOf(run.faults.back(), search.program);
  return SeenRun{session->capturePoints().captured, std::move(run.stages)};
}

} // namespace

Result<std::optional<FirstDifference>> firstDifferenceOf(const DifferenceSearch &search,
                                                         const ExpectedTensors &expected) {
  Observation observation;
  observation.capture = expected.namesOfWholeTensors();
  const bool isProved =
      proofHolds(search.program) && !search.defects.needTime() && search.options.onFault == OnFault::stop;
  TILERIG_TRY(const SeenRun seen,
              isProved ? runProved(search, std::move(observation)) : runByBeats(search, observation));
  const ExpectedTensors wrong = expected.thatDiffer(seen.tensors);
  TILERIG_TRY(Memories memories, Memories::of(search.program)); // for the addresses of elements
  for (const TimedStage &stage : seen.stages) {
    if (!wrong.has(stage.index))
      continue;
    const std::vector<Job> jobs = stage.timeline ? jobsOf(*stage.costs, *stage.timeline) : std::vector<Job>();
    std::optional<Difference> first =
        wrong.earliest(search.program, stage.index, stage.timeline ? &jobs : nullptr, seen.tensors, memories);
    if (!first)
      continue;
    FirstDifference found{.difference = *first, .place = {}, .begin = stage.begin, .end = stage.end};
    if (first->job) {
      const Job &job = jobs[*first->job];
      found.place = placeOf(search.program, stage.index, tileOfThread(job.thread), job.instruction);
      found.begin = job.begin, found.end = job.end;
    } else if (!stage.timeline) {
      found.place =
          Place{.stage = stage.index,
                .host = true,
                .layer = std::get<proto::HostWork>(search.program.stages[stage.index].work).layer()};
    } else {
      found.end = stage.begin;
    }
    return std::optional(std::move(found));
  }
  return std::optional<FirstDifference>();
}

} // namespace tilerig::emulator
