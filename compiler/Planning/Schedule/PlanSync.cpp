#include "compiler/Planning/Schedule/PlanSync.h"

#include "compiler/Planning/Schedule/Knowledge.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

// What it costs on average that a relay has to wait for a task that it would not wait for otherwise. The estimated
// times of tasks do not include such delays. Ten programs were alike with 150 to 400.
constexpr uint64_t cyclesOfMoreOrder = 250;

class Planner {
public:
  Planner(const TaskList &tasks, const Dependencies &dependencies, const TaskOrder &order, unsigned tiles,
          Channels &channels, Redundancy redundancy)
      : redundancy(redundancy), dependencies(dependencies), sequence(order.sequence), times(order.times),
        engines(enginesOf(tasks)), channels(channels), knowledge(tiles), ordinals(tasks.size()),
        positions(tasks.size()), waiting(tasks.size()), rows(tasks.size()), tasksOf(tiles * enginesPerTile),
        taken(tasksOf.size()) {
    plan.signalTo.resize(tasks.size());
    plan.counts.edges = dependencies.edges.size();
    for (uint32_t position = 0; position < sequence.size(); ++position)
      positions[sequence[position]] = position;
    for (const uint32_t task : sequence)
      if (engines[task] != noEngine)
        tasksOf[engines[task]].push_back(task);
    for (uint32_t task = 0; task < tasks.size(); ++task)
      for (const Dependency &dependency : dependencies.of(task))
        waiting[dependency.before] += needsEnd(dependency, engines[dependency.before], engines[task]);
  }

  SyncPlan make() {
    for (const uint32_t task : sequence) {
      if (engines[task] != noEngine)
        orderTask(task);
      plan.actions.push_back({.kind = SyncActionKind::task, .task = task, .engine = engines[task]});
      if (engines[task] != noEngine)
        take(task);
    }
    return std::move(plan);
  }

private:
  // Plans the synchronisation in front of a task, so that the task begins after all tasks that it depends on
  // (its sources). The latest source comes first, because a wait for it may make waits for earlier sources
  // unnecessary. For the same reason, signals by relays (engines that signal for others of their tile) are
  // planned before other waits.
  void orderTask(uint32_t task) {
    sources.clear();
    for (const Dependency &dependency : dependencies.of(task))
      if (needsEnd(dependency, engines[dependency.before], engines[task]))
        sources.push_back(dependency.before);
      else
        ++plan.counts.sameEngine;
    std::ranges::sort(sources, std::greater(), [&](uint32_t source) { return positions[source]; });
    meetSources(task);
    const auto first = static_cast<std::ptrdiff_t>(plan.actions.size());
    for (const bool relayed : {true, false})
      for (const uint32_t source : sources)
        if (needsRelay(source, task) == relayed)
          isKnown(source, engines[task]) ? void(++plan.counts.implied) : order(source, task);
    // Waits for earlier tasks come first: they end earlier, and then no longer occupy the engine's queue.
    std::stable_sort(plan.actions.begin() + first, plan.actions.end(),
                     [&](const SyncAction &a, const SyncAction &b) { return due(a) < due(b); });
    for (const uint32_t source : sources)
      if (--waiting[source] == 0)
        knowledge.release(rows[source]);
  }

  // Sort key of the synchronisation actions in front of a task. Waits and syncs are sorted by the task for
  // which they wait, by its position in the sequence, counted from 1. All other actions have the key 0 and
  // stay in front.
  uint32_t due(const SyncAction &action) const {
    return action.kind == SyncActionKind::wait ||
                   (action.kind == SyncActionKind::sync && action.engine == engines[action.task])
               ? positions[action.source] + 1
               : 0;
  }
  bool isKnown(uint32_t source, EngineId engine) const {
    return redundancy == Redundancy::removed && knowledge.knows(engine, engines[source], ordinals[source]);
  }
  EngineId signallerFor(uint32_t source, uint32_t task) const {
    return channels.signallerFor(engines[source], tileOfEngine(engines[task]));
  }
  bool sameTile(uint32_t source, uint32_t task) const {
    return tileOfEngine(engines[source]) == tileOfEngine(engines[task]);
  }
  bool needsRelay(uint32_t source, uint32_t task) const {
    return !sameTile(source, task) && signallerFor(source, task) != engines[source];
  }

  // Adds one barrier for the task's tile and for all tiles whose tasks it depends on, but which have no
  // semaphore with which to signal the task's tile.
  void meetSources(uint32_t task) {
    uint64_t tiles = 0;
    for (const uint32_t source : sources)
      if (!sameTile(source, task) && signallerFor(source, task) == noEngine &&
          !isKnown(source, engines[task]))
        tiles |= uint64_t{1} << tileOfEngine(engines[source]);
    if (tiles == 0)
      return;
    tiles |= uint64_t{1} << tileOfEngine(engines[task]);
    plan.actions.push_back({.kind = SyncActionKind::barrier, .task = task, .tiles = tiles});
    knowledge.meet(tiles);
    ++plan.counts.barriers;
  }

  void order(uint32_t source, uint32_t task) {
    const EngineId from = engines[source], engine = engines[task];
    if (sameTile(source, task) && from != engine)
      return sync(source, engine, task);
    const EngineId signaller = signallerFor(source, task);
    if (signaller == noEngine)
      return block(source, task);
    ++plan.counts.semaphores;
    if (signaller != from)
      return relay(source, signaller, task);
    const unsigned tile = tileOfEngine(engine);
    channels.use(from, tile);
    if (!channels.areLimited())
      countDelays(source, task);
    uint64_t &signals = plan.signalTo[source];
    plan.counts.signals += !(signals >> tile & 1);
    signals |= uint64_t{1} << tile;
    plan.actions.push_back({.kind = SyncActionKind::wait, .task = task, .source = source, .engine = engine});
    knowledge.learn(engine, rows[source]);
  }

  // Counts what it would cost if another engine of the tile signalled for `source`, by the estimated times: the
  // relay signals behind its tasks so far, and its next task may not begin before `source` has ended.
  void countDelays(uint32_t source, uint32_t task) {
    const uint64_t end = times[source].end, due = std::max(end, times[task].start);
    const EngineId first = tileOfEngine(engines[source]) * enginesPerTile;
    for (EngineId relay = first; relay < first + enginesPerTile; ++relay) {
      if (relay == engines[source])
        continue;
      const std::vector<uint32_t> &relayTasks = tasksOf[relay];
      const uint32_t next = taken[relay];
      const uint64_t lastEnd = next == 0 ? 0 : times[relayTasks[next - 1]].end,
                     nextStart = next == relayTasks.size() ? end : times[relayTasks[next]].start;
      uint64_t cycles = (lastEnd > due ? lastEnd - due : 0) + (end > nextStart ? end - nextStart : 0);
      if (!isKnown(source, relay))
        cycles += cyclesOfMoreOrder;
      channels.delay(relay, tileOfEngine(engines[task]), cycles);
    }
  }

  void sync(uint32_t source, EngineId engine, uint32_t task) {
    plan.actions.push_back({.kind = SyncActionKind::sync, .task = task, .source = source, .engine = engine});
    knowledge.learn(engine, rows[source]);
    ++plan.counts.locals;
  }

  // Lets the tile's sequencer wait for an earlier task of the same engine. An engine can wait for itself only
  // by a semaphore, and none is left.
  void block(uint32_t source, uint32_t task) {
    plan.actions.push_back({.kind = SyncActionKind::blockingSync, .task = task, .source = source});
    for (unsigned slot = 0; slot < enginesPerTile; ++slot)
      knowledge.learn(tileOfEngine(engines[task]) * enginesPerTile + slot, rows[source]);
    ++plan.counts.locals;
  }

  // Adds a signal by the relay `signaller` (an engine that signals for another engine of its tile). If the
  // relay does not know yet that the task `source` has ended, it first gets a sync that waits for the end of
  // `source`. This sync is placed where, by the estimated times, `source` has already ended, so that the
  // relay hardly waits.
  void relay(uint32_t source, EngineId signaller, uint32_t task) {
    if (!isKnown(source, signaller)) {
      plan.actions.push_back(
          {.kind = SyncActionKind::sync, .task = task, .source = source, .engine = signaller});
      knowledge.learn(signaller, rows[source]);
      ++plan.counts.relays;
    }
    plan.actions.push_back(
        {.kind = SyncActionKind::relay, .task = task, .engine = engines[task], .signaller = signaller});
    knowledge.learnAllOf(engines[task], signaller);
    ++plan.counts.signals;
  }

  void take(uint32_t task) {
    const EngineId engine = engines[task];
    ordinals[task] = ++taken[engine];
    knowledge.take(engine);
    if (waiting[task] > 0)
      rows[task] = knowledge.keep(engine);
  }

  Redundancy redundancy;
  const Dependencies &dependencies;
  std::span<const uint32_t> sequence;
  std::span<const TaskTime> times;
  std::vector<EngineId> engines;
  Channels &channels;
  Knowledge knowledge;
  std::vector<uint32_t> ordinals;  // number of each task among its engine's tasks, from 1
  std::vector<uint32_t> positions; // index of each task in the sequence
  std::vector<uint32_t> waiting;   // for each task, how many later tasks, not planned yet, wait for its end
  std::vector<Knowledge::Row> rows;
  std::vector<std::vector<uint32_t>> tasksOf; // for each engine, its tasks in sequence
  std::vector<uint32_t> taken; // for each engine, how many of its tasks have been planned so far
  std::vector<uint32_t> sources;
  SyncPlan plan;
};

} // namespace

SyncPlan planSync(const TaskList &tasks, const Dependencies &dependencies, const TaskOrder &order,
                  unsigned tiles, Channels &channels, Redundancy redundancy) {
  return Planner(tasks, dependencies, order, tiles, channels, redundancy).make();
}

} // namespace tilerig::compiler
