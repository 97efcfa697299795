#include "compiler/Planning/Schedule/PlayTasks.h"

#include "compiler/Planning/Schedule/QueuedWays.h"
#include "compiler/Planning/Schedule/Successors.h"
#include "compiler/Planning/Schedule/TaskCosts.h"
#include "isa/Machine/Topology.h"
#include "isa/Timeline/ChunkGrants.h"
#include "isa/Timing/Latency.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

namespace tilerig::compiler {

namespace {

constexpr uint64_t unknownCycle = UINT64_MAX;

EngineId numEnginesOf(const std::vector<EngineId> &engines) {
  EngineId number = 0;
  for (const EngineId engine : engines)
    if (engine != noEngine)
      number = std::max(number, engine + 1);
  return number;
}

uint64_t farthestSignalCycles(const Machine &machine) {
  uint64_t most = 0;
  for (unsigned tile = 0; tile < machine.network.tiles; ++tile)
    most = std::max(most, signalCycles(machine, 0, tile));
  return most;
}

// For each tile, how many tiles of its DDR port have lower numbers. In the order of these numbers, each port is
// used once before one is used again.
std::vector<uint32_t> turnsOfTiles(const Network &network) {
  std::vector<uint32_t> turns(network.tiles), ofPort(numPorts(network));
  for (unsigned tile = 0; tile < network.tiles; ++tile)
    turns[tile] = ofPort[portOf(network, tile)]++;
  return turns;
}

class Player {
public:
  Player(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
         const OrderOptions &options)
      : tasks(tasks), machine(machine), mode(options.mode), sharing(options.sharing),
        reads(options.mode == OrderMode::listed ? MostInFlight{} : options.ddrReads),
        writes(options.mode == OrderMode::listed ? MostInFlight{} : options.ddrWrites),
        farthestSignal(farthestSignalCycles(machine)), turns(turnsOfTiles(machine.network)),
        engines(enginesOf(tasks)), successors(dependencies), costs(tasks, engines, machine), queues(machine),
        states(numEnginesOf(engines)), grants(machine, 2 * states.size()), readyAt(tasks.size()),
        missing(tasks.size()), chain(tasks.size()) {
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
    while (true) {
      const uint64_t now = events.empty() ? unknownCycle : events.top().first;
      const uint64_t tick = grants.nextTick();
      if (tick != UINT64_MAX && (now == unknownCycle || tick <= now * ticksPerCycle)) {
        grants.advance([&](const ChunkGrants::Grant &grant) { take(grant); });
        continue;
      }
      if (events.empty())
        break;
      awake.clear();
      for (; !events.empty() && events.top().first == now; events.pop())
        awake.push_back(events.top().second);
      startAll(awake, now);
    }
    return std::move(order);
  }

private:
  // A task that an engine could begin now. The task with the longest chain of dependent tasks behind it
  // compares as the greatest, and begins first.
  struct Candidate {
    uint64_t chain;
    uint32_t task;
    bool operator<(const Candidate &other) const {
      return chain != other.chain ? chain < other.chain : task > other.task;
    }
  };
  // A cycle in the future, and the task or engine that continues then.
  using Moment = std::pair<uint64_t, uint32_t>;
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  // A transfer that has begun and not yet ended. It has a read phase and a write phase; each ends when its
  // last byte has passed.
  struct Flight {
    uint32_t task;
    uint64_t firstByte; // cycle at which the transfer's first byte has been read
    uint64_t readEnd = unknownCycle, writeEnd = unknownCycle;
  };
  struct EngineState {
    uint64_t free = 0;      // cycle from which the engine can begin its next task, as far as is known now
    uint64_t writeFree = 0; // end of the write phase of the last completed transfer
    // transfers that the engine has begun: the first one is writing, the last one reading
    std::deque<Flight> flights;
    // Tasks whose dependencies are all met from a known cycle on, so that they can begin then.
    Moments coming;
    std::priority_queue<Candidate> ready;
    std::vector<uint32_t> listed; // the tasks of the engine, in the order of the task list
    size_t started = 0;
  };

  // Critical path: for each task, the cycles of the longest chain of dependent tasks that starts with it. The
  // list is in topological order, so one backward pass is enough.
  void measureChains() {
    for (auto task = static_cast<uint32_t>(chain.size()); task-- > 0;) {
      uint64_t behind = 0;
      for (const Dependency &successor : successors.of(task))
        behind = std::max(behind, costs.syncCycles(successor, engines[task], engines[successor.before]) +
                                      chain[successor.before]);
      chain[task] = behind + costs.latencyCycles(task);
    }
  }

  void enter(uint32_t task, uint64_t cycle) {
    states[engines[task]].coming.push({cycle, task});
    events.push({cycle, engines[task]});
  }

  // Starts the next task of each engine in `awake` that has one. The tasks with the longest chains of
  // dependent tasks start first, because all compete for DDR and the links; of equal ones, the tiles of each
  // DDR port take turns.
  void startAll(std::vector<EngineId> &awake, uint64_t now) {
    std::ranges::sort(awake);
    awake.erase(std::unique(awake.begin(), awake.end()), awake.end());
    std::erase_if(awake, [&](EngineId engine) { return !hasNext(states[engine], now); });
    std::ranges::sort(awake, [&](EngineId a, EngineId b) {
      const Candidate &first = states[a].ready.top(), &second = states[b].ready.top();
      return first.chain != second.chain ? first.chain > second.chain
                                         : std::pair(turns[tileOfEngine(a)], first.task) <
                                               std::pair(turns[tileOfEngine(b)], second.task);
    });
    for (const EngineId engine : awake)
      if (const uint32_t task = states[engine].ready.top().task; mayBegin(task, now)) {
        states[engine].ready.pop();
        start(task, now);
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

  // The limit of concurrent transfers that applies to a task; null if none applies.
  TransferLimit *limitOf(uint32_t task) {
    const Transfer *transfer = costs.transfer(task);
    if (!transfer || (transfer->read.ddrPorts == 0 && transfer->write.ddrPorts == 0))
      return nullptr;
    TransferLimit &limit = transfer->read.ddrPorts != 0 ? reads : writes;
    return limit.isSet() && (&limit == &reads || tasks[task].isPatient) ? &limit : nullptr;
  }
  // Whether the limit of concurrent transfers lets the task begin. If not, its engine continues when the
  // transfer that it waits for has ended. All engines that wait for this transfer continue at the same cycle,
  // so that their priorities are compared.
  bool mayBegin(uint32_t task, uint64_t now) {
    const TransferLimit *limit = limitOf(task);
    const std::optional<uint32_t> before = limit ? limit->before() : std::nullopt;
    if (!before)
      return true;
    const uint64_t end = order.times[*before].end; // 0 while unknown
    if (end == 0)
      limitWaiters[*before].push_back(engines[task]);
    else if (end + farthestSignal > now)
      events.push({end + farthestSignal, engines[task]});
    else
      return true;
    return false;
  }
  // If a limit of concurrent transfers applies to a task that begins, counts the task as one of them.
  void countTransfer(uint32_t task) {
    TransferLimit *limit = limitOf(task);
    if (!limit)
      return;
    if (const auto before = limit->before(); before && engines[*before] != engines[task])
      order.transferEdges.push_back({*before, task});
    const Transfer &transfer = *costs.transfer(task);
    limit->begin(task, limit == &reads ? transfer.read.ddrBytes : transfer.write.ddrBytes);
  }

  void start(uint32_t task, uint64_t now) {
    const EngineId engine = engines[task];
    EngineState &state = states[engine];
    countTransfer(task);
    order.times[task].start = now;
    order.sequence.push_back(task);
    ++state.started;
    for (const Dependency &successor : successors.of(task))
      if (!needsEnd(successor, engine, engines[successor.before]))
        release(successor, task, now);
    if (const Transfer *transfer = costs.transfer(task)) {
      state.free = unknownCycle;
      state.flights.push_back({task, now + transfer->read.latencyCycles});
      beginPhase(engine, false, transfer->read, state.flights.back().firstByte);
      if (state.flights.size() == 1)
        beginWrite(engine);
    } else {
      setFree(engine, now + costs.latencyCycles(task));
      end(task, state.free);
    }
  }

  void setFree(EngineId engine, uint64_t cycle) {
    states[engine].free = cycle;
    events.push({cycle, engine});
  }

  // Begins the write phase of the engine's oldest unfinished transfer.
  void beginWrite(EngineId engine) {
    const EngineState &state = states[engine];
    const Flight &flight = state.flights.front();
    const TransferPhase &phase = costs.transfer(flight.task)->write;
    beginPhase(engine, true, phase, std::max(state.writeFree, flight.firstByte) + phase.latencyCycles);
  }

  void beginPhase(EngineId engine, bool isWrite, const TransferPhase &phase, uint64_t firstCycle) {
    if (!ChunkGrants::isShared(phase, machine.network))
      endPhase(engine, isWrite, firstCycle + phase.streamCycles);
    else if (sharing == TransferSharing::firstCome)
      endPhase(engine, isWrite, queues.pass(phase, firstCycle));
    else
      grants.begin(2 * engine + isWrite, phase, firstCycle * ticksPerCycle,
                   phase.streamCycles * ticksPerCycle);
  }

  void take(const ChunkGrants::Grant &grant) {
    if (grant.isLast)
      endPhase(grant.client / 2, grant.client % 2, (grant.throughTick + ticksPerCycle - 1) / ticksPerCycle);
  }

  void endPhase(EngineId engine, bool isWrite, uint64_t cycle) {
    std::deque<Flight> &flights = states[engine].flights;
    if (isWrite) {
      flights.front().writeEnd = cycle;
    } else {
      flights.back().readEnd = cycle;
      setFree(engine, cycle);
    }
    const Flight first = flights.front();
    if (first.readEnd == unknownCycle || first.writeEnd == unknownCycle)
      return;
    flights.pop_front();
    states[engine].writeFree = std::max(first.readEnd, first.writeEnd);
    end(first.task, states[engine].writeFree);
    if (!flights.empty())
      beginWrite(engine);
  }

  void end(uint32_t task, uint64_t cycle) {
    order.times[task].end = cycle;
    order.cycles = std::max(order.cycles, cycle);
    for (const Dependency &successor : successors.of(task))
      if (needsEnd(successor, engines[task], engines[successor.before]))
        release(successor, task, cycle);
    if (const auto waiters = limitWaiters.find(task); waiters != limitWaiters.end())
      for (const EngineId engine : waiters->second)
        events.push({cycle + farthestSignal, engine});
  }

  void release(const Dependency &successor, uint32_t task, uint64_t cycle) {
    const uint32_t next = successor.before;
    readyAt[next] =
        std::max(readyAt[next], cycle + costs.syncCycles(successor, engines[task], engines[next]));
    if (--missing[next] == 0)
      enter(next, readyAt[next]);
  }

  const TaskList &tasks;
  const Machine &machine;
  OrderMode mode;
  TransferSharing sharing;
  // Limits of concurrent DDR reads, and of concurrent low-priority DDR writes (Task::isPatient).
  TransferLimit reads, writes;
  uint64_t farthestSignal;
  std::vector<uint32_t> turns; // by tile; see turnsOfTiles()
  std::vector<EngineId> engines;
  Successors successors;
  TaskCosts costs;
  QueuedWays queues;
  std::vector<EngineState> states;
  // divides DDR, its ports and the links among all transfers that use them at the same time
  ChunkGrants grants;
  std::vector<uint64_t> readyAt;
  std::vector<uint32_t> missing; // number of unmet dependencies of each task
  std::vector<uint64_t> chain;
  Moments events; // future cycles at which an engine may be able to begin a task
  // For each task, the engines that wait for its end.
  std::unordered_map<uint32_t, std::vector<EngineId>> limitWaiters;
  TaskOrder order;
};

} // namespace

TaskOrder playTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                    const OrderOptions &options) {
  return Player(tasks, dependencies, machine, options).play();
}

} // namespace tilerig::compiler
