#include "compiler/Schedule/Order.h"

#include "compiler/Schedule/Attachments.h"
#include "compiler/Schedule/SharedWays.h"
#include "compiler/Schedule/TaskCosts.h"
#include "isa/Timing/Latency.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <queue>

namespace tilerig {

namespace {

// Who depends on a task.
struct Successors {
  std::vector<Dependency> edges; // `before` is the later task here
  std::vector<size_t> first;

  explicit Successors(const Dependencies &dependencies) : first(dependencies.numTasks() + 1) {
    for (const Dependency &it : dependencies.edges)
      ++first[it.before + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    edges.resize(dependencies.edges.size());
    std::vector<size_t> next(first.begin(), first.end() - 1);
    for (uint32_t task = 0; task < dependencies.numTasks(); ++task)
      for (const Dependency &it : dependencies.of(task))
        edges[next[it.before]++] = {task, it.kinds};
  }
  std::span<const Dependency> of(uint32_t task) const {
    return std::span(edges).subspan(first[task], first[task + 1] - first[task]);
  }
};

class Player {
public:
  Player(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
         const OrderOptions &options)
      : tasks(tasks),
        mode(options.mode), reads{.most = options.mode == OrderMode::listed ? 0 : options.ddrReads},
        writes{.most = options.mode == OrderMode::listed ? 0 : options.ddrWriteBytes},
        farthestSignal(farthestSignalCycles(machine)), engines(enginesOf(tasks)), successors(dependencies),
        costs(tasks, engines, machine), ways(machine), readyAt(tasks.size()), missing(tasks.size()),
        chain(tasks.size()) {
    EngineId numEngines = 0;
    for (uint32_t task = 0; task < tasks.size(); ++task)
      if (engines[task] != noEngine)
        numEngines = std::max(numEngines, engines[task] + 1);
    states.resize(numEngines);
    order.times.resize(tasks.size());
    measureChains();
    for (uint32_t task = 0; task < tasks.size(); ++task) {
      missing[task] = static_cast<uint32_t>(dependencies.of(task).size());
      if (engines[task] == noEngine)
        continue;
      states[engines[task]].listed.push_back(task);
      if (missing[task] == 0)
        enter(task, 0);
    }
  }

  TaskOrder play() {
    std::vector<EngineId> awake;
    while (!events.empty()) {
      const uint64_t now = events.top().first;
      awake.clear();
      for (; !events.empty() && events.top().first == now; events.pop())
        awake.push_back(events.top().second);
      startAll(awake, now);
    }
    return std::move(order);
  }

private:
  // The one that is taken first is the greatest.
  struct Candidate {
    uint64_t chain;
    uint32_t task;
    bool operator<(const Candidate &other) const {
      return chain != other.chain ? chain < other.chain : task > other.task;
    }
  };
  using Moment = std::pair<uint64_t, uint32_t>; // a cycle; a task or an engine
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  struct EngineState {
    uint64_t free = 0;      // when it can begin the next task
    uint64_t writeFree = 0; // when the write phase of its last one ends
    Moments coming;         // tasks that lack nothing but time
    std::priority_queue<Candidate> ready;
    std::vector<uint32_t> listed; // all its tasks
    size_t started = 0;
  };

  // What has to follow a task, itself included. The list is an order, so one pass from its end does.
  void measureChains() {
    for (auto task = static_cast<uint32_t>(chain.size()); task-- > 0;) {
      uint64_t behind = 0;
      for (const Dependency &it : successors.of(task))
        behind = std::max(behind, costs.syncCycles(it, engines[task], engines[it.before]) + chain[it.before]);
      chain[task] = behind + costs.latencyCycles(task);
    }
  }

  void enter(uint32_t task, uint64_t cycle) {
    states[engines[task]].coming.push({cycle, task});
    events.push({cycle, engines[task]});
  }

  // Engines that may have something to begin now; those with the longest chains first, since they compete for
  // DDR and the links.
  void startAll(std::vector<EngineId> &awake, uint64_t now) {
    std::ranges::sort(awake);
    awake.erase(std::unique(awake.begin(), awake.end()), awake.end());
    std::erase_if(awake, [&](EngineId engine) { return !hasNext(states[engine], now); });
    std::ranges::sort(awake,
                      [&](EngineId a, EngineId b) { return states[b].ready.top() < states[a].ready.top(); });
    for (const EngineId engine : awake) {
      const uint32_t task = states[engine].ready.top().task;
      if (const uint64_t turn = turnOf(task); turn > now) {
        events.push({turn, engine});
        continue;
      }
      states[engine].ready.pop();
      start(task, states[engine], now);
      events.push({states[engine].free, engine});
      release(task);
    }
  }

  bool hasNext(EngineState &state, uint64_t now) {
    if (state.free > now)
      return false;
    for (; !state.coming.empty() && state.coming.top().first <= now; state.coming.pop()) {
      const uint32_t task = state.coming.top().second;
      state.ready.push({mode == OrderMode::reordered ? chain[task] : UINT64_MAX - task, task});
    }
    return !state.ready.empty() &&
           (mode == OrderMode::reordered || state.ready.top().task == state.listed[state.started]);
  }

  // Transfers of which only so much may be on its way at a time, as they begin.
  struct Turns {
    uint64_t most = 0; // 0: any number
    std::vector<uint32_t> begun = {};
    std::vector<uint64_t> weights = {};
    size_t first = 0; // of the last ones, all of which may be on their way when the next begins
    uint64_t weight = 0;

    // Which has to be over before the next one.
    std::optional<uint32_t> before() const {
      return first > 0 ? std::optional(begun[first - 1]) : std::nullopt;
    }
    void begin(uint32_t task, uint64_t its) {
      begun.push_back(task);
      weights.push_back(its);
      for (weight += its; weight >= most; ++first)
        weight -= weights[first];
    }
  };
  // Among which a task takes its turn; none where it may begin at any time.
  Turns *turnsOf(uint32_t task) {
    const Transfer *transfer = costs.transfer(task);
    if (!transfer || (transfer->read.ddrPorts == 0 && transfer->write.ddrPorts == 0))
      return nullptr;
    Turns &turns = transfer->read.ddrPorts != 0 ? reads : writes;
    return turns.most > 0 && (&turns == &reads || tasks[task].isPatient) ? &turns : nullptr;
  }
  // When it may begin; the same for all who wait, so that they are compared then.
  uint64_t turnOf(uint32_t task) {
    const Turns *turns = turnsOf(task);
    const std::optional<uint32_t> before = turns ? turns->before() : std::nullopt;
    return before ? order.times[*before].end + farthestSignal : 0;
  }
  void takeTurn(uint32_t task) {
    Turns *turns = turnsOf(task);
    if (!turns)
      return;
    if (const auto before = turns->before(); before && engines[*before] != engines[task])
      order.turns.push_back({*before, task});
    turns->begin(task, turns == &reads ? 1 : costs.transfer(task)->write.ddrBytes);
  }

  void start(uint32_t task, EngineState &state, uint64_t now) {
    takeTurn(task);
    TaskTime &time = order.times[task];
    time.start = now;
    if (const Transfer *transfer = costs.transfer(task)) {
      const uint64_t firstByte = now + transfer->read.latencyCycles;
      state.free = ways.pass(transfer->read, firstByte);
      const uint64_t write = std::max(state.writeFree, firstByte) + transfer->write.latencyCycles;
      state.writeFree = time.end = std::max(state.free, ways.pass(transfer->write, write));
    } else {
      state.free = time.end = now + costs.latencyCycles(task);
    }
    ++state.started;
    order.sequence.push_back(task);
    order.cycles = std::max(order.cycles, time.end);
  }

  void release(uint32_t task) {
    const TaskTime &time = order.times[task];
    for (const Dependency &it : successors.of(task)) {
      const uint32_t next = it.before;
      const uint64_t done = needsEnd(it, engines[task], engines[next]) ? time.end : time.start;
      readyAt[next] = std::max(readyAt[next], done + costs.syncCycles(it, engines[task], engines[next]));
      if (--missing[next] == 0)
        enter(next, readyAt[next]);
    }
  }

  static uint64_t farthestSignalCycles(const Machine &machine) {
    uint64_t most = 0;
    for (unsigned tile = 0; tile < machine.network.tiles; ++tile)
      most = std::max(most, signalCycles(machine, 0, tile));
    return most;
  }

  const TaskList &tasks;
  OrderMode mode;
  Turns reads, writes; // of DDR
  uint64_t farthestSignal;
  std::vector<EngineId> engines;
  Successors successors;
  TaskCosts costs;
  SharedWays ways;
  std::vector<uint64_t> readyAt;
  std::vector<uint32_t> missing; // dependencies on tasks that have not been started
  std::vector<uint64_t> chain;
  std::vector<EngineState> states;
  Moments events; // when an engine may have something to begin
  TaskOrder order;
};

} // namespace

TaskOrder orderTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                     const OrderOptions &options) {
  TaskOrder order = Player(tasks, dependencies, machine, options).play();
  if (options.mode != OrderMode::listed) {
    insertAttached(tasks, order.sequence);
  } else { // times are those of the machine, the list stays what it is
    order.sequence.resize(tasks.size());
    for (uint32_t task = 0; task < tasks.size(); ++task)
      order.sequence[task] = task;
  }
  return order;
}

Status verifyOrder(const Dependencies &dependencies, std::span<const uint32_t> sequence) {
  std::vector<bool> seen(dependencies.numTasks());
  const auto wrong = [](uint32_t task, const std::string &what) {
    return internalError(fmt::format("order of tasks, task {}", task), what);
  };
  for (const uint32_t task : sequence) {
    if (task >= seen.size() || seen[task])
      return wrong(task, "is none, or stands there twice");
    for (const Dependency &it : dependencies.of(task))
      if (!seen[it.before])
        return wrong(task, fmt::format("stands before task {}, on which it depends", it.before));
    seen[task] = true;
  }
  if (sequence.size() != seen.size())
    return internalError("order of tasks", fmt::format("{} of {} tasks", sequence.size(), seen.size()));
  return success();
}

} // namespace tilerig
