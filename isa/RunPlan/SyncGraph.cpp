#include "isa/RunPlan/SyncGraph.h"

#include "isa/Analyser/Order.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Report.h"
#include "isa/Order/Semaphores.h"

#include <algorithm>
#include <map>
#include <ranges>

namespace tilerig {

namespace {

StageThreads matchedThreads(const Program &program, uint32_t stage) {
  StageThreads threads = layOutStage(program, stage, true);
  // The report stays empty: the analyser has found that all semaphores and barriers of the program match.
  Report report(0);
  matchSemaphores(program, threads, report);
  matchBarriers(program, threads, report);
  return threads;
}

struct StageOrder final : TaskOrder {
  StageOrder(const Program &program, uint32_t stage)
      : threads(matchedThreads(program, stage)), order(threads) {}

  bool precedes(uint32_t first, uint32_t second) const override {
    return order.clocks().before(stepOf[first], stepOf[second]);
  }

  StageThreads threads;
  Order order;
  std::vector<Event> stepOf; // by task: its step
};

class SyncGraph {
public:
  SyncGraph(const Program &program, uint32_t stage)
      : stage(stage), ordered(std::make_shared<StageOrder>(program, stage)), threads(ordered->threads),
        order(ordered->order), tasksOf(threads.numThreads()) {}

  StageTasks build() {
    for (const Event &step : order.accessingSteps())
      // A transfer's task belongs to the reading thread.
      if (!isDmaWrite(kindOf(step.thread)))
        addTask(step);
    tasks.graph = TaskGraph::from(predecessors);
    tasks.order = std::move(ordered);
    return std::move(tasks);
  }

private:
  struct Entry {
    uint32_t ordinal = 0, task = 0; // ordinal: number of the step in its thread
  };
  // A task that may be among the nearest that precede another.
  struct Candidate {
    Event step;
    uint32_t task;
  };

  void addTask(const Event &step) {
    findCandidates(step);
    std::vector<uint32_t> needs = candidates.size() > mostPredecessors ? nearestOfMany(step) : nearest();
    tasksOf[step.thread].push_back({step.ordinal, add(step, threads.step(step).instruction)});
    predecessors.push_back(std::move(needs));
  }

  uint32_t add(const Event &step, uint32_t instruction) {
    tasks.places.push_back({stage, tileOfThread(step.thread), instruction});
    ordered->stepOf.push_back(step);
    return static_cast<uint32_t>(tasks.places.size() - 1);
  }

  // The candidates that precede no other of them.
  std::vector<uint32_t> nearest() {
    // Tasks are numbered in their order, so only later ones can follow a candidate. A candidate is left out because one
    // that is kept follows it; whatever it follows, the kept one follows too. So comparing with the kept ones is enough.
    std::ranges::sort(candidates, std::ranges::greater(), &Candidate::task);
    std::vector<Candidate> kept;
    for (const Candidate &candidate : candidates)
      if (std::ranges::none_of(kept, [&](const Candidate &other) {
            return order.clocks().before(candidate.step, other.step);
          }))
        kept.push_back(candidate);
    std::vector<uint32_t> found;
    for (const Candidate &candidate : kept | std::views::reverse)
      found.push_back(candidate.task);
    return found;
  }

  // The same where many tasks precede one, as at a barrier. All that follow the same tasks get the same predecessors; if
  // these are many, too, an empty task stands for them, so that the number of edges is not quadratic.
  std::vector<uint32_t> nearestOfMany(const Event &step) {
    std::vector<uint32_t> all;
    for (const Candidate &candidate : candidates)
      all.push_back(candidate.task);
    const auto [entry, isNew] = meetings.try_emplace(std::move(all));
    if (isNew) {
      entry->second = nearest();
      if (entry->second.size() > mostPredecessors) {
        predecessors.push_back(std::move(entry->second));
        entry->second = {add(step, StageTasks::emptyTask)};
      }
    }
    return entry->second;
  }

  // The last task of each thread that precedes the step, without what the previous task of its own thread follows.
  void findCandidates(const Event &step) {
    candidates.clear();
    const auto &own = tasksOf[step.thread];
    const Clocks &clocks = order.clocks();
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
      if (tasksOf[thread].empty())
        continue;
      const uint32_t known = thread == step.thread ? step.ordinal - 1 : clocks.known(step, thread),
                     before = own.empty() || thread == step.thread
                                  ? 0
                                  : clocks.known({step.thread, own.back().ordinal}, thread);
      if (known == before)
        continue;
      const Entry last = lastBy(thread, known);
      if (last.ordinal > before)
        candidates.push_back({{thread, last.ordinal}, last.task});
    }
  }

  // The last task of the thread up to this step; with the ordinal 0 if there is none.
  Entry lastBy(ThreadId thread, uint32_t ordinal) const {
    const auto &all = tasksOf[thread];
    const auto after = std::ranges::upper_bound(all, ordinal, {}, &Entry::ordinal);
    return after == all.begin() ? Entry{} : *std::prev(after);
  }

  static constexpr size_t mostPredecessors = 64;

  uint32_t stage;
  std::shared_ptr<StageOrder> ordered;
  const StageThreads &threads;
  const Order &order;
  StageTasks tasks;
  std::vector<std::vector<uint32_t>> predecessors;
  std::vector<std::vector<Entry>> tasksOf;                         // by thread
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> meetings; // predecessors by candidates
  std::vector<Candidate> candidates;
};

} // namespace

StageTasks tasksOfStage(const Program &program, uint32_t stage) { return SyncGraph(program, stage).build(); }

} // namespace tilerig
