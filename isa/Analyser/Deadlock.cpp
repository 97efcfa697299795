#include "isa/Analyser/Deadlock.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tilerig {

namespace {

std::string_view engineName(ThreadId thread) {
  return EnumNames<Engine>::values[static_cast<size_t>(engineOfThread(thread))];
}

class Explanation {
public:
  Explanation(const Program &program, const StageThreads &stage, const Order &order)
      : program(program), stage(stage), order(order) {}

  // In a deadlock, the stuck thread that the stuck thread `thread` waits for; nullopt if nothing can satisfy
  // the wait.
  std::optional<ThreadId> blockerOf(ThreadId thread) const {
    const Order::Lack lack = order.lackOf(thread);
    if (lack.kind == LackKind::event && isStuck(lack.event.thread))
      return lack.event.thread;
    if (lack.kind == LackKind::sum)
      for (const Producer &producer : stage.shared[stage.sumWaits[stepOf(thread).index].semaphore])
        if (isStuck(producer.thread))
          return producer.thread;
    return std::nullopt;
  }

  Problem problem(std::span<const ThreadId> path, bool circle) const {
    Problem problem{.kind = ProblemKind::deadlock};
    problem.text = fmt::format("stage '{}' never ends: ", program.stages[stage.stage].name);
    constexpr size_t mostLinks = 16;
    size_t links = 0;
    for (const ThreadId thread : path) {
      // The write step of a transfer waits for the read step of the same transfer. Both belong to the same
      // instruction, so only the read step is listed.
      if (isDmaWrite(kindOf(thread)) && path.size() > 1)
        continue;
      if (++links > mostLinks)
        continue;
      problem.places.push_back(
          placeOf(program, stage.stage, tileOfThread(thread), stepOf(thread).instruction));
      problem.text += (links == 1 ? "" : "; ") + link(thread);
    }
    if (links > mostLinks)
      problem.text += fmt::format("; and {} more", links - mostLinks);
    problem.text += circle ? ", which closes the cycle of waits" : "";
    return problem;
  }

private:
  bool isStuck(ThreadId thread) const { return std::ranges::binary_search(order.stuckThreads(), thread); }
  const Step &stepOf(ThreadId thread) const { return stage.step({thread, order.ended(thread) + 1}); }

  std::string link(ThreadId thread) const {
    return fmt::format("tile {} {} at instruction {} {}", tileOfThread(thread), engineName(thread),
                       stepOf(thread).instruction, reason(thread));
  }

  std::string reason(ThreadId thread) const {
    const Order::Lack lack = order.lackOf(thread);
    const Step &step = stepOf(thread);
    if (lack.kind != LackKind::event)
      return "waits for " + semaphoreText(thread, step) +
             (lack.kind == LackKind::never ? ", but no signal raises the semaphore to that value" : "");
    const auto target = [&] { return stage.step(lack.event).instruction; };
    const bool sequencer = kindOf(thread) == ThreadKind::sequencer;
    if (!sequencer && kindOf(lack.event.thread) == ThreadKind::sequencer &&
        tileOfThread(lack.event.thread) == tileOfThread(thread) && lack.event.ordinal == step.issue)
      return "has not been issued by the sequencer yet";
    switch (step.need) {
    case Need::space:
      return fmt::format("waits for space in the full queue of {} until instruction {} has finished",
                         engineName(lack.event.thread), target());
    case Need::drain:
      return fmt::format("is at a barrier, which waits for {} to finish instruction {}",
                         engineName(lack.event.thread), target());
    case Need::meet:
      if (lack.event.ordinal > stage.numSteps(lack.event.thread))
        return fmt::format("waits at a barrier that tile {} never reaches", tileOfThread(lack.event.thread));
      return fmt::format("waits at a barrier for tile {} to reach instruction {}",
                         tileOfThread(lack.event.thread), target());
    default:
      break;
    }
    const Instruction &instruction = instructionAt(thread, step);
    if (std::holds_alternative<Sync>(instruction))
      return fmt::format("waits for {} to finish instruction {}", engineName(lack.event.thread), target());
    return fmt::format("waits for {}, which tile {} {} signals at instruction {}",
                       semaphoreText(thread, step), tileOfThread(lack.event.thread),
                       engineName(lack.event.thread), target());
  }

  const Instruction &instructionAt(ThreadId thread, const Step &step) const {
    const auto &code = std::get<DeviceStage>(program.stages[stage.stage].work).tiles[tileOfThread(thread)];
    return code[step.instruction];
  }
  std::string semaphoreText(ThreadId thread, const Step &step) const {
    const Wait &wait = std::get<Wait>(instructionAt(thread, step));
    return fmt::format("semaphore {} to reach {}", wait.semaphore, wait.value);
  }

  const Program &program;
  const StageThreads &stage;
  const Order &order;
};

} // namespace

void reportDeadlocks(const Program &program, const StageThreads &stage, const Order &order, Report &report) {
  const Explanation explanation(program, stage, order);
  constexpr uint32_t unseen = UINT32_MAX;
  // Follows the waits of a deadlock: from a stuck thread to the thread that it waits for, and so on (a walk).
  // For each thread, `walkOf` states which walk reached it first, by the thread at which this walk began.
  std::vector<uint32_t> walkOf(stage.numThreads(), unseen);
  for (const ThreadId start : order.stuckThreads()) {
    std::vector<ThreadId> path;
    std::optional<ThreadId> at = start;
    for (; at && walkOf[*at] == unseen; at = explanation.blockerOf(*at)) {
      walkOf[*at] = start;
      path.push_back(*at);
    }
    // An earlier walk along the waits has reached this thread and reported the deadlock from there on.
    if (at && walkOf[*at] != start)
      continue;
    const auto circle = at ? std::ranges::find(path, *at) : path.begin();
    report.add(explanation.problem({circle, path.end()}, at.has_value()));
  }
}

} // namespace tilerig
