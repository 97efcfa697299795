#include "emulator/Beats/StageFaults.h"

#include "isa/Analyser/Deadlock.h"

#include <algorithm>

namespace tilerig {

namespace {

const Instruction &instructionAt(const Program &program, const Place &place) {
  return std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.instruction];
}

bool has(const std::vector<Problem> &problems, ProblemKind kind, const Place &place) {
  return std::ranges::any_of(problems, [&](const Problem &it) {
    return it.kind == kind && std::ranges::find(it.places, place) != it.places.end();
  });
}

// A chain of waiters ends at the one whose wait has no end; a circle has none.
FaultKind kindOf(const Problem &deadlock, const Program &program, const std::vector<Problem> &problems) {
  const Place &last = deadlock.places.back();
  const Instruction &instruction = instructionAt(program, last);
  if (has(problems, ProblemKind::waitNeverSatisfied, last))
    return FaultKind::semaphoreNeverReached;
  const bool isBarrier =
      std::holds_alternative<GroupBarrier>(instruction) || std::holds_alternative<GlobalBarrier>(instruction);
  if (isBarrier && has(problems, ProblemKind::barrierMismatch, last))
    return FaultKind::barrierMismatch;
  return FaultKind::deadlock;
}

} // namespace

bool isStuck(const StageThreads &threads, const Timeline &timeline) {
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread)
    if (slotOf(thread) < numThreadKinds && timeline.ended[thread] < threads.numSteps(thread))
      return true;
  return false;
}

std::vector<Fault> stageFaults(const Program &program, const MatchedStage &stage, const Timeline &timeline) {
  std::vector<Fault> faults;
  const auto add = [&](FaultKind kind, const Problem &problem, Place place) {
    Fault fault{.kind = kind, .what = problem.text, .place = place, .cycle = timeline.end};
    for (const Place &other : problem.places)
      if (other != place)
        fault.others.push_back(other);
    faults.push_back(std::move(fault));
  };
  if (isStuck(stage.threads, timeline)) {
    Report report(100);
    reportDeadlocks(program, stage.threads, Order(stage.threads), report);
    for (const Problem &problem : report.problems) {
      const FaultKind kind = kindOf(problem, program, stage.problems);
      add(kind, problem, kind == FaultKind::deadlock ? problem.places.front() : problem.places.back());
    }
    return faults;
  }
  for (const Problem &problem : stage.problems) {
    if (problem.kind == ProblemKind::semaphoreLeftOver)
      add(FaultKind::semaphoreLeftOver, problem, problem.places.front());
    if (problem.kind == ProblemKind::semaphoreOverflow)
      add(FaultKind::semaphoreOverflow, problem, problem.places.front());
  }
  return faults;
}

} // namespace tilerig
