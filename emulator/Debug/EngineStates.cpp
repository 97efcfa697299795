#include "emulator/Debug/EngineStates.h"

#include <algorithm>
#include <tuple>

namespace tilerig::emulator {

EngineStates::EngineStates(const StageCosts &costs, const Timeline &timeline, std::optional<uint64_t> jitter)
    : costs(costs), timeline(timeline) {
  for (const SignalStep &signal : costs.threads.signals) {
    const Event &finish = signal.finish;
    if (timeline.ended[finish.thread] < finish.ordinal)
      continue;
    changes.push_back({signal.tile, signal.semaphore,
                       timeline.steps[finish.thread][finish.ordinal - 1].end +
                           jitteredCycles(costs.of(finish).cycles, finish, jitter),
                       signal.amount});
  }
  std::ranges::stable_sort(changes, {}, [](const SemaphoreChange &change) {
    return std::tuple(change.tile, change.semaphore, change.cycle);
  });
  for (size_t i = 1; i < changes.size(); ++i)
    if (changes[i].tile == changes[i - 1].tile && changes[i].semaphore == changes[i - 1].semaphore)
      changes[i].value += changes[i - 1].value;
}

// Number of steps of the thread that begin before the cycle, or take no time and are over by its beginning.
uint32_t EngineStates::begunBefore(ThreadId thread, uint64_t cycle) const {
  const auto &steps = timeline.steps[thread];
  const auto ended = steps.begin() + timeline.ended[thread];
  const auto at = std::partition_point(
      steps.begin(), ended, [&](const StepTime &time) { return time.begin < cycle || time.end <= cycle; });
  return static_cast<uint32_t>(at - steps.begin());
}

ThreadState EngineStates::threadAt(ThreadId thread, uint64_t cycle) const {
  const StageThreads &threads = costs.threads;
  ThreadState state{.thread = thread};
  const uint32_t begun = begunBefore(thread, cycle), all = threads.numSteps(thread);
  const bool isWorking = begun > 0 && timeline.steps[thread][begun - 1].end > cycle;
  const uint32_t ordinal = isWorking ? begun : begun + 1;
  if (ordinal <= all) {
    const Step &step = threads.step({thread, ordinal});
    state.ordinal = ordinal;
    state.instruction = step.instruction;
    const bool onlyWaits = step.need != Need::nothing && !step.accesses;
    state.activity = isWorking && !onlyWaits             ? Activity::working
                     : ordinal <= timeline.ended[thread] ? Activity::waiting
                                                         : Activity::stuck;
    if (state.activity != Activity::stuck)
      state.time = timeline.steps[thread][ordinal - 1];
    state.need = step.need;
    state.event = step.event;
  }
  if (kindOf(thread) != ThreadKind::sequencer) {
    const ThreadId sequencer = threadOf(tileOfThread(thread), ThreadKind::sequencer);
    for (uint32_t next = begun + 1; next <= all; ++next) {
      const Step &step = threads.step({thread, next});
      const bool isIssued =
          step.issue <= timeline.ended[sequencer] && timeline.steps[sequencer][step.issue - 1].end <= cycle;
      if (!isIssued)
        break;
      state.queue.push_back(step.instruction);
    }
  }
  return state;
}

std::vector<SemaphoreState> EngineStates::semaphoresAt(uint64_t cycle) const {
  std::vector<SemaphoreState> states;
  const auto stateOf = [&](uint32_t tile, uint32_t semaphore) -> SemaphoreState & {
    const auto at = std::ranges::find_if(states, [&](const SemaphoreState &state) {
      return state.tile == tile && state.semaphore == semaphore;
    });
    return at != states.end() ? *at : states.emplace_back(SemaphoreState{tile, semaphore});
  };
  for (const SemaphoreChange &change : changes)
    if (change.cycle <= cycle)
      stateOf(change.tile, change.semaphore).value = change.value;
  for (const WaitStep &wait : costs.threads.waits) {
    const ThreadState thread = threadAt(wait.start.thread, cycle);
    if (thread.activity != Activity::done && thread.ordinal == wait.start.ordinal)
      stateOf(wait.tile, wait.semaphore).waitedFor =
          std::max<uint64_t>(stateOf(wait.tile, wait.semaphore).waitedFor, wait.value);
  }
  std::ranges::sort(states, {},
                    [](const SemaphoreState &state) { return std::pair(state.tile, state.semaphore); });
  return states;
}

std::optional<Event> EngineStates::stepOf(const DeviceStage &code, uint32_t tile,
                                          uint32_t instruction) const {
  const ThreadId thread = threadOf(tile, startKind(engineOf(code.tiles[tile][instruction])));
  const auto &steps = costs.threads.stepsOf(thread);
  const auto at = std::ranges::lower_bound(steps, instruction, {}, &Step::instruction);
  if (at == steps.end() || at->instruction != instruction)
    return {};
  return Event{thread, static_cast<uint32_t>(at - steps.begin()) + 1};
}

} // namespace tilerig::emulator
