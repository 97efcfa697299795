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

// Finds the cause of a deadlock: its kind and the instruction. The deadlock lists instructions, each of which
// waits for the next. The cause is the first of them whose wait no signal satisfies, or whose barrier some
// tile never reaches. If there is none, the cause is the deadlock itself: a cycle of waits.
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

std::vector<Fault> stageFaults(const Program &program, const StageThreads &threads,
                               const std::vector<Problem> &problems, const Timeline &timeline) {
  std::vector<Fault> faults;
  const auto add = [&](FaultKind kind, const Problem &problem, Place place) {
    Fault fault{.kind = kind, .description = problem.text, .place = place, .cycle = timeline.end};
    for (const Place &other : problem.places)
      if (other != place)
        fault.others.push_back(other);
    faults.push_back(std::move(fault));
  };
  if (isStuck(threads, timeline)) {
    Report report(100);
    reportDeadlocks(program, threads, Order(threads), report);
    for (const Problem &problem : report.problems) {
      const auto [kind, place] = reasonOf(problem, problems);
      add(kind, problem, place);
    }
    return faults;
  }
  for (const Problem &problem : problems) {
    if (problem.kind == ProblemKind::semaphoreLeftOver)
      add(FaultKind::semaphoreLeftOver, problem, problem.places.front());
    if (problem.kind == ProblemKind::semaphoreOverflow)
      add(FaultKind::semaphoreOverflow, problem, problem.places.front());
  }
  return faults;
}

} // namespace tilerig::emulator
