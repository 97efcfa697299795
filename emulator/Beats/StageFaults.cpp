#include "emulator/Beats/StageFaults.h"

#include "isa/Analyser/Deadlock.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

bool has(const std::vector<Problem> &problems, ProblemKind kind, const Place &place) {
  return std::ranges::any_of(problems, [&](const Problem &problem) {
    return problem.kind == kind && std::ranges::find(problem.places, place) != problem.places.end();
  });
}

// Finds the cause of a deadlock: its kind and the instruction. A chain in which each instruction waits for
// the next ends at the one whose wait can never be satisfied. A barrier that a tile does not reach can also
// be part of a cycle of waits, if that tile waits at another barrier.
std::pair<FaultKind, Place> reasonOf(const Problem &deadlock, const std::vector<Problem> &problems) {
  for (const Place &place : deadlock.places) {
    if (has(problems, ProblemKind::waitNeverSatisfied, place))
      return {FaultKind::semaphoreNeverReached, place};
    if (has(problems, ProblemKind::barrierMismatch, place))
      return {FaultKind::barrierMismatch, place};
  }
  return {FaultKind::deadlock, deadlock.places.front()};
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
    Fault fault{.kind = kind, .description = problem.text, .place = place, .cycle = timeline.end};
    for (const Place &other : problem.places)
      if (other != place)
        fault.others.push_back(other);
    faults.push_back(std::move(fault));
  };
  if (isStuck(stage.threads, timeline)) {
    Report report(100);
    reportDeadlocks(program, stage.threads, Order(stage.threads), report);
    for (const Problem &problem : report.problems) {
      const auto [kind, place] = reasonOf(problem, stage.problems);
      add(kind, problem, place);
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

} // namespace tilerig::emulator
