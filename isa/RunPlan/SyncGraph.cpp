#include "isa/RunPlan/SyncGraph.h"

#include "isa/Order/Barriers.h"
#include "isa/Order/Report.h"
#include "isa/Order/Semaphores.h"

#include <algorithm>

namespace tilerig {

namespace {

// The tasks that precede a point of the program, stored like a vector clock: only the last such task of each
// thread is listed.
class Frontier {
public:
  struct Entry {
    ThreadId thread;
    uint32_t ordinal, task;
  };

  void add(Entry entry) {
    for (Entry &mine : entries)
      if (mine.thread == entry.thread) {
        if (entry.ordinal > mine.ordinal)
          mine = entry;
        return;
      }
    entries.push_back(entry);
  }
  void add(const Frontier &other) {
    for (const Entry &entry : other.entries)
      add(entry);
  }
  const std::vector<Entry> &all() const { return entries; }
  std::vector<Entry> &all() { return entries; }

private:
  std::vector<Entry> entries;
};

class GraphWalk {
public:
  GraphWalk(const Program &program, uint32_t stage)
      : stage(stage), threads(layOutStage(program, stage, true)) {
    // The report stays empty: the analyser has found that all semaphores and barriers of the program match.
    Report report(0);
    matchSemaphores(program, threads, report);
    matchBarriers(program, threads, report);
    ended.resize(threads.numThreads());
    now.resize(threads.numThreads());
    sleepers.resize(threads.numThreads());
    kept.resize(threads.numThreads());
    meetings.resize(threads.meetings.size());
    markKept();
  }

  StageTasks walk() {
    for (ThreadId thread = threads.numThreads(); thread-- > 0;)
      if (exists(thread))
        ready.push_back(thread);
    while (!ready.empty()) {
      const ThreadId thread = ready.back();
      ready.pop_back();
      while (ended[thread] < threads.numSteps(thread) && advance(thread))
        wake(thread);
    }
    tasks.graph = TaskGraph::from(predecessors);
    return std::move(tasks);
  }

private:
  // A transfer's task belongs to the reading thread; the writing thread has no steps in this graph.
  static bool exists(ThreadId thread) {
    return slotOf(thread) < numThreadKinds && !isDmaWrite(kindOf(thread));
  }
  static Event whole(Event event) {
    return slotOf(event.thread) < numThreadKinds && isDmaWrite(kindOf(event.thread))
               ? Event{event.thread - 1, event.ordinal}
               : event;
  }

  // Calls visit(event) for every dependency of a step besides the previous step of its thread.
  template <class Visit>
  void forEachNeed(ThreadId thread, const Step &step, Visit visit) const {
    const unsigned tile = tileOfThread(thread);
    if (kindOf(thread) != ThreadKind::sequencer)
      visit(Event{threadOf(tile, ThreadKind::sequencer), step.issue});
    if (step.need == Need::event || step.need == Need::space)
      visit(whole(step.event));
    if (step.need == Need::drain)
      for (size_t engine = 1; engine < numEngines; ++engine)
        visit(whole(
            {threadOf(tile, finishKind(static_cast<Engine>(engine))), threads.drains[step.index][engine]}));
    if (step.need == Need::meet)
      for (const Event &arrival : threads.meetings[step.index].arrivals)
        visit(arrival);
  }

  // Lists the points of the program whose frontiers (preceding tasks) other steps depend on. Only these
  // frontiers are kept; any other is discarded when the next step of its thread has ended.
  void markKept() {
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread)
      if (exists(thread))
        for (const Step &step : threads.stepsOf(thread))
          forEachNeed(thread, step, [&](Event event) {
            if (event.ordinal > 0)
              kept[event.thread].push_back({event.ordinal, {}});
          });
    for (auto &completions : kept) {
      std::ranges::sort(completions, {}, &Completion::ordinal);
      const auto rest = std::ranges::unique(completions, {}, &Completion::ordinal);
      completions.erase(rest.begin(), rest.end());
    }
  }

  bool advance(ThreadId thread) {
    const Step &step = threads.stepsOf(thread)[ended[thread]];
    bool lacks = false;
    forEachNeed(thread, step, [&](Event event) {
      if (!lacks && ended[event.thread] < event.ordinal) {
        sleepers[event.thread].push_back({thread, event.ordinal});
        lacks = true;
      }
    });
    if (lacks)
      return false;
    Frontier &frontier = now[thread];
    if (step.need == Need::meet)
      frontier = meet(step);
    else
      forEachNeed(thread, step, [&](Event event) {
        if (event.ordinal > 0)
          frontier.add(completionOf(event));
      });
    ++ended[thread];
    if (step.accesses)
      become(thread, newTask({stage, tileOfThread(thread), step.instruction}, frontier));
    else if (frontier.all().size() > mostEntries)
      become(thread, newTask({stage, tileOfThread(thread), StageTasks::emptyTask}, frontier));
    remember(thread);
    return true;
  }

  // The thread's frontier (the tasks that precede a point of the program) becomes this task alone, which
  // implies all tasks before it.
  void become(ThreadId thread, uint32_t task) { now[thread].all() = {{thread, ended[thread], task}}; }

  uint32_t newTask(InstructionPlace place, const Frontier &frontier) {
    std::vector<uint32_t> needs;
    for (const Frontier::Entry &entry : frontier.all())
      needs.push_back(entry.task);
    std::ranges::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    predecessors.push_back(std::move(needs));
    tasks.places.push_back(place);
    return static_cast<uint32_t>(predecessors.size() - 1);
  }

  // All threads that leave a barrier depend on the same tasks, so one empty task (without an instruction)
  // stands for all these dependencies.
  const Frontier &meet(const Step &step) {
    Frontier &met = meetings[step.index];
    if (met.all().empty()) {
      const auto &arrivals = threads.meetings[step.index].arrivals;
      for (const Event &arrival : arrivals)
        met.add(completionOf(arrival));
      const uint32_t task = newTask({stage, tileOfThread(arrivals[0].thread), StageTasks::emptyTask}, met);
      met.all() = {{threads.numThreads() + step.index, 0, task}};
    }
    return met;
  }

  struct Completion {
    uint32_t ordinal;
    Frontier frontier;
  };
  const Frontier &completionOf(Event event) const {
    return std::ranges::lower_bound(kept[event.thread], event.ordinal, {}, &Completion::ordinal)->frontier;
  }
  void remember(ThreadId thread) {
    auto completion = std::ranges::lower_bound(kept[thread], ended[thread], {}, &Completion::ordinal);
    if (completion != kept[thread].end() && completion->ordinal == ended[thread])
      completion->frontier = now[thread];
  }

  void wake(ThreadId thread) {
    std::erase_if(sleepers[thread], [&](const Sleeper &sleeper) {
      const bool due = sleeper.ordinal <= ended[thread];
      if (due)
        ready.push_back(sleeper.thread);
      return due;
    });
  }

  static constexpr size_t mostEntries = 6;
  struct Sleeper {
    ThreadId thread;
    uint32_t ordinal;
  };

  uint32_t stage;
  StageThreads threads;
  std::vector<uint32_t> ended;
  // For each thread, its frontier: the tasks that precede the thread's next step.
  std::vector<Frontier> now;
  std::vector<std::vector<Completion>> kept;
  std::vector<Frontier> meetings;
  std::vector<std::vector<Sleeper>> sleepers;
  std::vector<ThreadId> ready;
  StageTasks tasks;
  std::vector<std::vector<uint32_t>> predecessors;
};

} // namespace

StageTasks tasksOfStage(const Program &program, uint32_t stage) { return GraphWalk(program, stage).walk(); }

} // namespace tilerig
