#include "isa/Timeline/Timeline.h"

#include "isa/Base/Support/Hash.h"
#include "isa/Timeline/ChunkGrants.h"
#include "isa/Timing/Latency.h"

#include <algorithm>

namespace tilerig {

namespace {

class Simulation {
public:
  Simulation(const StageCosts &stage, const Program &program, const TimelineOptions &options)
      : stage(stage), threads(stage.threads), program(program),
        code(std::get<DeviceStage>(program.stages[stage.threads.stage].work).tiles), options(options),
        grants(program.machine, threads.numThreads()), states(threads.numThreads()),
        sleepers(threads.numThreads()) {
    timeline.steps.resize(threads.numThreads());
    timeline.busy.resize(threads.numThreads());
    timeline.stalled.resize(threads.numThreads());
    timeline.phases.resize(threads.numThreads());
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
      states[thread].free = options.begin;
      if (slotOf(thread) < numThreadKinds)
        timeline.steps[thread].resize(threads.numSteps(thread));
    }
  }

  Timeline run() {
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread)
      if (slotOf(thread) < numThreadKinds)
        ready.push_back(thread);
    for (;;) {
      while (!ready.empty()) {
        const ThreadId thread = ready.back();
        ready.pop_back();
        advance(thread);
      }
      if (settleSum())
        continue;
      if (grants.nextTick() == UINT64_MAX)
        break;
      grants.advance([&](const ChunkGrants::Grant &grant) { take(grant); });
    }
    timeline.end = options.begin;
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread) {
      timeline.ended.push_back(states[thread].ended);
      timeline.end = std::max(timeline.end, states[thread].free);
    }
    return std::move(timeline);
  }

private:
  struct ThreadState {
    uint32_t ended = 0; // number of the thread's steps that have ended
    uint32_t begun = 0;
    uint64_t free = 0;   // cycle at which the thread's last step ended
    bool moving = false; // whether chunks of the thread's current transfer phase are still to be granted
    // For a transfer phase: whether all of its chunks have been transferred, and when the last one was.
    bool moved = false;
    uint64_t movedAt = 0;
    uint64_t waitedTicks = 0; // ticks that chunks of the transfer phase have waited for resources
    // For a wait on a semaphore with several producers: when the semaphore reached the value.
    std::optional<uint64_t> sumAt;
  };
  struct Sleeper {
    ThreadId thread;
    uint32_t ordinal;
    bool begin; // true: the thread sleeps until the awaited step begins; false: until it ends
  };
  // The earliest cycle at which a step can begin, or can go on after a wait, and why it cannot be earlier.
  struct Moment {
    uint64_t cycle;
    Stall reason;
    void notBefore(uint64_t other, Stall why) {
      if (other > cycle) {
        cycle = other;
        reason = why;
      }
    }
  };

  bool hasEnded(Event event) const { return states[event.thread].ended >= event.ordinal; }
  uint64_t endOf(Event event) const {
    return event.ordinal == 0 ? options.begin : timeline.steps[event.thread][event.ordinal - 1].end;
  }

  // Whether the time at which a certain step ends has been computed. If not, the thread sleeps until it has
  // been.
  bool settled(ThreadId thread, Event event) {
    if (hasEnded(event))
      return true;
    sleepers[event.thread].push_back({thread, event.ordinal, false});
    return false;
  }

  void advance(ThreadId thread) {
    while (states[thread].ended < threads.numSteps(thread) && advanceOne(thread)) {
    }
  }

  // Computes when the thread's next step begins and ends. Returns false if a time on which the step depends
  // is not known yet.
  bool advanceOne(ThreadId thread) {
    if (states[thread].moving)
      return false;
    const Event next{thread, states[thread].ended + 1};
    return isDmaWrite(kindOf(thread)) ? advanceWrite(next) : advanceStep(next);
  }

  bool advanceStep(Event next) {
    const Step &step = threads.step(next);
    Moment begin{states[next.thread].free, Stall::none};
    if (kindOf(next.thread) != ThreadKind::sequencer) {
      const Event issue{threadOf(tileOfThread(next.thread), ThreadKind::sequencer), step.issue};
      if (!settled(next.thread, issue))
        return false;
      begin.notBefore(endOf(issue), Stall::issue);
    }
    const StageCosts::Cost &cost = stage.of(next);
    if (cost.transfer != StageCosts::noTransfer && isDmaRead(kindOf(next.thread)))
      return advanceRead(next, begin, stage.transfers[cost.transfer].read);
    // When the condition for which the step waits is met; set by satisfy().
    Moment met = begin;
    if (!satisfy(next, step, met))
      return false;
    const bool isWork = stepKind(next) == Kind::work;
    // A signal's latency is the time until it reaches the semaphore; it is added at the wait. A barrier's
    // latency is added when the tile leaves, after all members have arrived.
    const bool isFree = stepKind(next) == Kind::signal || stepKind(next) == Kind::arrival;
    record(next, begin, met, met.cycle + (isFree ? 0 : stretched(cost.cycles, next)), isWork);
    return true;
  }

  bool advanceRead(Event next, Moment begin, const TransferPhase &phase) {
    if (!beginPhase(next, begin, phase))
      return false;
    endPhase(next, states[next.thread].movedAt);
    return true;
  }

  enum class Kind { work, signal, arrival, other };
  Kind stepKind(Event event) const {
    const Step &step = threads.step(event);
    if (step.need == Need::drain)
      return Kind::arrival;
    const Instruction &instruction = code[tileOfThread(event.thread)][step.instruction];
    if (kindOf(event.thread) == ThreadKind::sequencer && engineOf(instruction) != Engine::sequencer)
      return Kind::other;
    if (std::holds_alternative<Signal>(instruction))
      return Kind::signal;
    return step.accesses ? Kind::work : Kind::other;
  }

  bool satisfy(Event next, const Step &step, Moment &met) {
    switch (step.need) {
    case Need::nothing:
      return true;
    case Need::never:
      return false;
    case Need::sum: {
      std::optional<uint64_t> &sumAt = states[next.thread].sumAt;
      if (!sumAt) {
        if (std::ranges::find(sumWaiters, next.thread) == sumWaiters.end())
          sumWaiters.push_back(next.thread);
        return false;
      }
      met.notBefore(*sumAt, Stall::semaphore);
      sumAt.reset();
      return true;
    }
    case Need::space:
      if (!settled(next.thread, step.event))
        return false;
      met.notBefore(endOf(step.event), Stall::space);
      return true;
    case Need::event: {
      if (!settled(next.thread, step.event))
        return false;
      const bool isSignal = stepKind(signalStep(step.event)) == Kind::signal;
      const uint64_t way = isSignal ? stretched(stage.of(step.event).cycles, step.event) : 0;
      met.notBefore(endOf(step.event) + way, isSignal ? Stall::semaphore : Stall::sync);
      return true;
    }
    case Need::drain:
      for (size_t engine = 1; engine < numEngines; ++engine) {
        const Event last{threadOf(tileOfThread(next.thread), finishKind(static_cast<Engine>(engine))),
                         threads.drains[step.index][engine]};
        if (!settled(next.thread, last))
          return false;
        met.notBefore(endOf(last), Stall::barrier);
      }
      return true;
    case Need::meet:
      for (const Event &arrival : threads.meetings[step.index].arrivals) {
        if (!settled(next.thread, arrival))
          return false;
        met.notBefore(endOf(arrival), Stall::barrier);
      }
      return true;
    }
    return true;
  }

  // --- Semaphores with several producers, as in programs that are not proved free of races ---

  // Releases the thread whose awaited value is reached first, among the threads that wait for a semaphore
  // with several producers. Releases none if a chunk of a transfer can be granted before that moment, because
  // earlier signals may then follow. Returns whether a thread was released.
  bool settleSum() {
    const uint64_t known = grants.nextTick();
    uint64_t first = UINT64_MAX;
    size_t which = 0;
    for (size_t i = 0; i < sumWaiters.size(); ++i)
      if (const uint64_t reached = sumReached(sumWaiters[i]); reached < first) {
        first = reached;
        which = i;
      }
    if (first == UINT64_MAX || first * ticksPerCycle > known)
      return false;
    const ThreadId thread = sumWaiters[which];
    sumWaiters.erase(sumWaiters.begin() + static_cast<std::ptrdiff_t>(which));
    states[thread].sumAt = first;
    ready.push_back(thread);
    return true;
  }

  // The cycle at which the known signals raise the semaphore to the value of the thread's wait; UINT64_MAX if
  // the known signals do not reach the value.
  uint64_t sumReached(ThreadId waiter) const {
    const SumWait &wait = threads.sumWaits[threads.step({waiter, states[waiter].ended + 1}).index];
    // Cycle and amount of each known signal of the semaphore.
    std::vector<std::pair<uint64_t, uint64_t>> arrivals;
    for (const Producer &producer : threads.shared[wait.semaphore])
      for (uint64_t before = 0; const auto &[ordinal, sum] : producer.sums) {
        const Event signal{producer.thread, ordinal};
        if (hasEnded(signal))
          arrivals.emplace_back(endOf(signal) + stretched(stage.of(signal).cycles, signal), sum - before);
        before = sum;
      }
    std::ranges::sort(arrivals);
    uint64_t sum = 0;
    for (const auto &[cycle, amount] : arrivals)
      if ((sum += amount) >= wait.value)
        return cycle;
    return UINT64_MAX;
  }

  // The step that holds the instruction of a signal. A DMA engine has a read thread, which holds its
  // instructions, and a write thread, which sends its signals; the steps of the two have the same ordinals.
  Event signalStep(Event event) const {
    return isDmaWrite(kindOf(event.thread)) ? Event{readerOf(event.thread), event.ordinal} : event;
  }

  // --- transfers ---

  // Begins a transfer phase if it has not begun. Returns whether its last byte has gone through; if not,
  // chunks of it still wait to be granted.
  bool beginPhase(Event next, Moment begin, const TransferPhase &phase) {
    ThreadState &state = states[next.thread];
    if (!state.moved) {
      markBegun(next, begin);
      const uint64_t first = begin.cycle + stretched(phase.latencyCycles, next);
      if (options.transfers)
        timeline.phases[next.thread].push_back({next.ordinal, {first * ticksPerCycle}});
      if (ChunkGrants::isShared(phase, program.machine.network)) {
        state.moving = true;
        grants.begin(next.thread, phase, first * ticksPerCycle,
                     stretched(phase.streamCycles, next) * ticksPerCycle);
        return false;
      }
      state.moved = true;
      state.movedAt = first + stretched(phase.streamCycles, next);
      noteTick(next.thread, state.movedAt * ticksPerCycle);
    }
    return true;
  }

  void noteTick(ThreadId thread, uint64_t tick) {
    if (options.transfers)
      timeline.phases[thread].back().ticks.push_back(tick);
  }

  void markBegun(Event next, Moment begin) {
    ThreadState &state = states[next.thread];
    timeline.steps[next.thread][next.ordinal - 1].begin = begin.cycle;
    stall(next, begin.reason, begin.cycle - state.free);
    state.begun = next.ordinal;
    wakeSleepers(next.thread);
  }

  // Called when a chunk of a thread's transfer phase has been granted its resources.
  void take(const ChunkGrants::Grant &grant) {
    ThreadState &state = states[grant.client];
    noteTick(grant.client, grant.throughTick);
    if (!grant.isLast)
      return;
    state.moving = false;
    state.moved = true;
    state.movedAt = (grant.throughTick + ticksPerCycle - 1) / ticksPerCycle;
    state.waitedTicks = grant.waitedTicks;
    ready.push_back(grant.client);
  }

  void record(Event next, Moment begin, Moment met, uint64_t end, bool isWork) {
    ThreadState &state = states[next.thread];
    StepTime &time = timeline.steps[next.thread][next.ordinal - 1];
    time = {isWork ? met.cycle : begin.cycle, end};
    stall(next, begin.reason, begin.cycle - state.free);
    stall(next, met.reason, met.cycle - begin.cycle);
    if (isWork)
      timeline.busy[next.thread] += end - met.cycle;
    finish(next, end);
  }

  // Records cycles that the thread was idle before or during the step.
  void stall(Event step, Stall reason, uint64_t cycles) {
    if (cycles == 0)
      return;
    timeline.stalled[step.thread][static_cast<size_t>(reason)] += cycles;
    const uint32_t layer = layerOf(code[tileOfThread(step.thread)][threads.step(step).instruction]);
    timeline.layerStalled[layer][static_cast<size_t>(reason)] += cycles;
  }

  void finish(Event next, uint64_t end) {
    ThreadState &state = states[next.thread];
    timeline.steps[next.thread][next.ordinal - 1].end = end;
    state.begun = state.ended = next.ordinal;
    state.free = end;
    wakeSleepers(next.thread);
  }

  // Advances the write thread of a DMA engine. The write phase of a transfer follows its read phase; other
  // instructions pass through without cost.
  bool advanceWrite(Event next) {
    const Event read{readerOf(next.thread), next.ordinal};
    const StageCosts::Cost &cost = stage.of(next);
    ThreadState &state = states[next.thread];
    if (cost.transfer == StageCosts::noTransfer) {
      if (!settled(next.thread, read))
        return false;
      Moment moment{state.free, Stall::none};
      moment.notBefore(endOf(read), Stall::data);
      record(next, moment, moment, moment.cycle, false);
      return true;
    }
    const Transfer &transfer = stage.transfers[cost.transfer];
    if (!state.moved) {
      if (states[read.thread].begun < read.ordinal) {
        sleepers[read.thread].push_back({next.thread, read.ordinal, true});
        return false;
      }
      Moment begin{state.free, Stall::none};
      begin.notBefore(timeline.steps[read.thread][read.ordinal - 1].begin +
                          stretched(transfer.read.latencyCycles, read),
                      Stall::data);
      if (!beginPhase(next, begin, transfer.write))
        return false;
    }
    if (!settled(next.thread, read))
      return false;
    endPhase(next, std::max(state.movedAt, endOf(read)));
    return true;
  }

  void endPhase(Event next, uint64_t end) {
    ThreadState &state = states[next.thread];
    const uint64_t begin = timeline.steps[next.thread][next.ordinal - 1].begin;
    const uint64_t waited = state.waitedTicks / ticksPerCycle;
    stall(next, Stall::contention, waited);
    timeline.busy[next.thread] += end - begin - waited;
    state.moved = false;
    state.waitedTicks = 0;
    finish(next, end);
  }

  uint64_t stretched(uint64_t cycles, Event event) const {
    return jitteredCycles(cycles, event, options.jitter);
  }

  void wakeSleepers(ThreadId thread) {
    const ThreadState &state = states[thread];
    std::erase_if(sleepers[thread], [&](const Sleeper &sleeper) {
      const bool due = sleeper.ordinal <= (sleeper.begin ? state.begun : state.ended);
      if (due)
        ready.push_back(sleeper.thread);
      return due;
    });
  }

  const StageCosts &stage;
  const StageThreads &threads;
  const Program &program;
  const std::vector<std::vector<Instruction>> &code;
  const TimelineOptions &options;
  ChunkGrants grants;
  std::vector<ThreadState> states;
  std::vector<std::vector<Sleeper>> sleepers;
  std::vector<ThreadId> ready, sumWaiters;
  Timeline timeline;
};

} // namespace

Timeline timeStage(const StageCosts &stage, const Program &program, const TimelineOptions &options) {
  return Simulation(stage, program, options).run();
}

uint64_t jitteredCycles(uint64_t cycles, Event step, std::optional<uint64_t> jitter) {
  if (!jitter)
    return cycles;
  const uint64_t random = combineHashes(combineHashes(*jitter, step.thread), step.ordinal);
  return cycles + cycles * (random % 769) / 256;
}

uint64_t cyclesOfStage(const Program &program, uint32_t stage) {
  return timeStage(costsOfStage(program, stage), program, {}).end;
}

} // namespace tilerig
